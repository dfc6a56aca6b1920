import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { localDay } from './local-time.ts'
import type { Program, PublishedProgram } from './program-model.ts'
import { postingDateAt, programAt, sortPrograms } from './programs.ts'

const program = {} as Program
const day = (n: number) => `2026-03-${String(n).padStart(2, '0')}T00:00:00.000Z`

test('the version with the latest moment not after the order is in effect, the higher number on a tie', () => {
  const versions = sortPrograms([
    { version: 4, from: day(20), program },
    { version: 2, from: day(20), program },
    { version: 1, from: '-infinity', program },
    { version: 3, from: day(10), program },
  ])
  const at = (moment: string) => programAt(versions, moment)?.version
  assert.deepEqual([at('1999-01-01T00:00:00.000Z'), at(day(9)), at(day(10)), at(day(20))], [1, 1, 3, 4])
  assert.equal(at('2026-03-19T23:59:59.999Z'), 3)
  assert.equal(programAt([], day(1)), undefined)
  assert.equal(programAt([{ version: 1, from: day(2), program }], day(1)), undefined)
})

test('a withdrawn version is never in effect', () => {
  const versions = sortPrograms([
    { version: 1, from: '-infinity', program },
    { version: 2, from: day(10), program },
    { version: 3, from: day(10), program, withdrawn: true },
    { version: 4, from: day(20), program, withdrawn: true },
  ])
  assert.deepEqual(
    [9, 10, 20, 30].map((n) => programAt(versions, day(n))?.version),
    [1, 2, 2, 2],
  )
})

test('for any versions in any order, and any moment: no eligible version begins between the one in effect and the moment', () => {
  const versions = fc
    .array(fc.record({ day: fc.option(fc.integer({ min: 1, max: 9 })), isWithdrawn: fc.boolean() }), { maxLength: 12 })
    .map((list) =>
      list.map(
        (one, index): PublishedProgram => ({
          version: index + 1,
          from: one.day === null ? '-infinity' : day(one.day),
          program,
          ...(one.isWithdrawn ? { withdrawn: true } : {}),
        }),
      ),
    )
  fc.assert(
    fc.property(versions, fc.integer({ min: 1, max: 9 }), (published, n) => {
      const momentOf = ({ from }: PublishedProgram) =>
        from === '-infinity' ? Number.NEGATIVE_INFINITY : Date.parse(from)
      const candidates = published.filter((one) => !one.withdrawn && momentOf(one) <= Date.parse(day(n)))
      const inEffect = programAt(sortPrograms(published), day(n))
      assert.deepEqual(sortPrograms(published.toReversed()), sortPrograms(published))
      if (inEffect === undefined) assert.deepEqual(candidates, [])
      else {
        assert(candidates.includes(inEffect))
        for (const one of candidates)
          assert(
            momentOf(one) < momentOf(inEffect) ||
              (momentOf(one) === momentOf(inEffect) && one.version <= inEffect.version),
          )
      }
    }),
  )
})

const inZone = (version: number, from: string, timeZone: string, withdrawn = false): PublishedProgram => ({
  ...{ version, from, program: { timeZone } as Program },
  ...(withdrawn ? { withdrawn } : {}),
})

test('a version with a time zone further west changes no booked day of the past (decision 80)', () => {
  const versions = [
    inZone(1, '-infinity', 'Pacific/Kiritimati'),
    inZone(2, '2026-03-10T12:00:00.000Z', 'Pacific/Pago_Pago'),
    inZone(3, '2026-03-10T13:00:00.000Z', 'Pacific/Pago_Pago'),
  ]
  const dayAt = (time: string) => postingDateAt(versions, `2026-03-${time}:00.000Z`)
  // At noon in London it is 2 o'clock on the 11th in Kiritimati, and 1 o'clock on the 10th in Pago Pago.
  assert.deepEqual(['10T09:59', '10T11:59', '10T12:00', '10T13:00', '11T10:59', '12T10:59', '12T11:00'].map(dayAt), [
    '2026-03-10',
    '2026-03-11',
    '2026-03-11',
    '2026-03-11',
    '2026-03-11',
    '2026-03-11',
    '2026-03-12',
  ])
})

test('for any versions, booked days never go back, and each is the local day of the version in effect or of one before it (decision 80)', () => {
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kolkata', 'America/New_York', 'UTC']
  const versions = fc.array(
    fc.record({ hour: fc.integer({ min: 0, max: 120 }), zone: fc.constantFrom(...zones), isWithdrawn: fc.boolean() }),
    { maxLength: 8 },
  )
  const at = (hour: number) => new Date(Date.parse(day(10)) + hour * 3_600_000).toISOString()
  fc.assert(
    fc.property(versions, (list) => {
      const published = sortPrograms(
        list.map(({ hour, zone, isWithdrawn }, index) => inZone(index + 1, at(hour), zone, isWithdrawn)),
      )
      let before = ''
      for (let hour = -30; hour <= 160; hour += 1) {
        const booked = postingDateAt(published, at(hour))
        assert(booked >= before, `${at(hour)}: ${booked} after ${before}`)
        const known = ['UTC', ...zones].map((zone) => localDay(at(hour), zone))
        assert(known.includes(booked))
        before = booked
      }
    }),
  )
})
