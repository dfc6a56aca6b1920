import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { clockToInstant, isTimeZone, localDay, localTime, startOfDay } from './local-time.ts'

const ZONES = [
  'UTC',
  'Pacific/Pago_Pago', // -11
  'America/St_Johns', // -03:30 and -02:30
  'Europe/London',
  'Africa/Monrovia', // -00:44:30 until 1972
  'Asia/Kathmandu', // +05:45
  'Australia/Lord_Howe', // half an hour of summer time
  'Pacific/Apia', // skipped a day in 2011
  'Pacific/Kiritimati', // +14
]

test('a local time is what Intl says, in every zone and at every moment', () => {
  const clocks = new Map(
    ZONES.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
    ]),
  )
  const moment = fc.date({ min: new Date('1901-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), moment, (zone, date) => {
      const [day, clock] = clocks.get(zone)!.format(date).split(' ')
      const at = date.toISOString()
      const minute = Number(clock!.slice(0, 2)) * 60 + Number(clock!.slice(3, 5))
      assert.deepEqual(localTime(at, zone), { day, minute })
      assert.equal(localDay(at, zone), day)
    }),
    { numRuns: 2_000 },
  )
})

test('local days follow the offset of the moment (decision 80)', () => {
  const cases = [
    ['2026-01-01T10:59:59.999Z', 'Pacific/Pago_Pago', '2025-12-31'],
    ['2026-01-01T11:00:00.000Z', 'Pacific/Pago_Pago', '2026-01-01'],
    ['2026-01-01T09:59:59.999Z', 'Pacific/Kiritimati', '2026-01-01'],
    ['2026-01-01T10:00:00.000Z', 'Pacific/Kiritimati', '2026-01-02'],
    ['2026-06-30T23:00:00.000Z', 'Europe/London', '2026-07-01'],
    ['2026-12-31T23:00:00.000Z', 'Europe/London', '2026-12-31'],
    // The day on which summer time begins and the one on which it ends.
    ['2026-03-29T00:59:00.000Z', 'Europe/London', '2026-03-29'],
    ['2026-03-29T23:00:00.000Z', 'Europe/London', '2026-03-30'],
    ['2026-10-24T23:00:00.000Z', 'Europe/London', '2026-10-25'],
    ['2026-10-25T23:59:00.000Z', 'Europe/London', '2026-10-25'],
    ['2011-12-30T09:59:00.000Z', 'Pacific/Apia', '2011-12-29'],
    ['2011-12-30T10:00:00.000Z', 'Pacific/Apia', '2011-12-31'],
  ] as const
  for (const [at, zone, day] of cases) assert.equal(localDay(at, zone), day, `${at} in ${zone}`)
})

test('the moment of a wall clock is the first one that shows it', () => {
  const cases = [
    ['2026-07-01', 0, 'Europe/London', '2026-06-30T23:00:00.000Z'],
    ['2026-10-25', 90, 'Europe/London', '2026-10-25T00:30:00.000Z'],
    ['2026-03-29', 0, 'Europe/London', '2026-03-29T00:00:00.000Z'],
    ['2026-03-30', 0, 'Europe/London', '2026-03-29T23:00:00.000Z'],
    ['2026-11-27', 1_320, 'Asia/Kolkata', '2026-11-27T16:30:00.000Z'],
  ] as const
  for (const [day, minute, zone, at] of cases) assert.equal(clockToInstant({ day, minute }, zone), at)
})

test('a day begins at its first moment, even where the zone skips midnight or shows it twice', () => {
  for (const [day, zone, at] of [
    ['2026-05-01', 'UTC', '2026-05-01T00:00:00.000Z'],
    ['2026-05-01', 'Asia/Kolkata', '2026-04-30T18:30:00.000Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'], // skips midnight
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'], // goes back at midnight
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'], // skips the day before
  ] as const) {
    assert.equal(startOfDay(day, zone), at)
    assert.equal(localDay(at, zone), day)
    assert(localDay(new Date(Date.parse(at) - 1).toISOString(), zone) < day)
  }
})

test('what is not a time zone is refused', () => {
  for (const zone of ZONES) assert(isTimeZone(zone))
  for (const zone of ['Mars/Olympus', '', 'Europe/Londres']) assert(!isTimeZone(zone))
})
