import assert from 'node:assert/strict'
import test from 'node:test'
import { published } from '../../../test/support/points.ts'
import {
  areSameTerms,
  computePointTerms,
  expiryAssignmentsOf,
  readPointRules,
  termsOfAdjustment,
  termsOfDebit,
  type WrittenPointRules,
} from './pending-and-expiry.ts'
import type { PointRules } from './program-model.ts'

type Rules = Readonly<{ points?: PointRules }>

function rules(written: WrittenPointRules): PointRules {
  return readPointRules(written, (field, error) => assert.fail(`points${field}: ${error}`))
}

const terms = (written: WrittenPointRules, at: string, timeZone = 'UTC', fulfilledAt?: string) =>
  Object.values(
    computePointTerms(
      { points: rules(written), timeZone },
      { at, ...(fulfilledAt === undefined ? {} : { fulfilledAt }) },
    )!,
  )

test('points become usable a number of local days after the order, whatever the clock does in between, and their expiry is rounded up', () => {
  const pending = { days: 2 }
  const cases: [written: WrittenPointRules, at: string, zone: string, usableOn: string, expiresOn: string][] = [
    [{ pending }, '2026-03-28T23:30:00.000Z', 'UTC', '2026-03-30', 'infinity'],
    // The night of 28 to 29 March has 23 hours in Berlin; that of 24 to 25 October 25.
    [{ pending }, '2026-03-28T22:59:59.999Z', 'Europe/Berlin', '2026-03-30', 'infinity'],
    [{ pending }, '2026-03-28T23:00:00.000Z', 'Europe/Berlin', '2026-03-31', 'infinity'],
    [{ pending }, '2026-10-24T22:00:00.000Z', 'Europe/Berlin', '2026-10-27', 'infinity'],
    [{ pending }, '2026-06-01T10:00:00.000Z', 'Pacific/Kiritimati', '2026-06-04', 'infinity'],
    [{ pending }, '2026-06-01T10:00:00.000Z', 'Etc/GMT+12', '2026-06-02', 'infinity'],
    [{ expire: { after: 'P12M' } }, '2024-02-29T12:00:00.000Z', 'UTC', '2024-02-29', '2025-03-01'],
    [
      { pending, expire: { after: 'P12M', 'at-end-of': 'month' } },
      '2026-05-31T12:00:00.000Z',
      'Asia/Kolkata',
      '2026-06-02',
      '2027-07-01',
    ],
    [{ expire: { after: 'P1Y', 'at-end-of': 'year' } }, '2026-05-31T12:00:00.000Z', 'UTC', '2026-05-31', '2028-01-01'],
  ]
  for (const [written, at, zone, ...days] of cases)
    assert.deepEqual(terms(written, at, zone), [...days, false], `${at} ${zone}`)
})

test('points that wait for an order to be fulfilled stay pending until it is', () => {
  const written: WrittenPointRules = { pending: { days: 14, after: 'fulfilled' }, expire: { after: 'P1M' } }
  const at = '2026-05-01T12:00:00.000Z'
  assert.deepEqual(terms(written, at), ['infinity', 'infinity', false])
  assert.deepEqual(terms(written, at, 'UTC', '2026-05-10T12:00:00.000Z'), ['2026-05-24', '2026-06-24', false])
})

test('points that expire after inactivity are marked as sliding', () => {
  assert.deepEqual(terms({ expire: { inactive: 'P6M' } }, '2026-05-01T12:00:00.000Z'), [
    '2026-05-01',
    '2026-11-01',
    true,
  ])
})

test('the points of an adjustment have the days that it names, else are usable at once and expire as the program says', () => {
  const day = '2026-05-31'
  const none: Rules = {}
  const unnamed = { usableOn: undefined, expiresOn: undefined }
  const ending: Rules = { points: rules({ pending: { days: 14 }, expire: { after: 'P1M' } }) }
  const cases: [program: Rules, named: Partial<typeof unnamed | object>, terms: object | undefined][] = [
    [none, {}, undefined],
    [none, { usableOn: '2026-06-09' }, { usableOn: '2026-06-09', expiresOn: 'infinity', slides: false }],
    [none, { expiresOn: '2026-06-09' }, { usableOn: day, expiresOn: '2026-06-09', slides: false }],
    [ending, {}, { usableOn: day, expiresOn: '2026-07-01', slides: false }],
    [ending, { usableOn: '2026-06-09' }, { usableOn: '2026-06-09', expiresOn: '2026-07-09', slides: false }],
    [
      ending,
      { usableOn: '2026-06-09', expiresOn: '2026-06-11' },
      { usableOn: '2026-06-09', expiresOn: '2026-06-11', slides: false },
    ],
    [
      { points: rules({ expire: { inactive: 'P1M' } }) },
      { expiresOn: '2026-06-11' },
      { usableOn: day, expiresOn: '2026-06-11', slides: false },
    ],
  ]
  for (const [program, named, wanted] of cases)
    assert.deepEqual(termsOfAdjustment(program, day, { ...unnamed, ...named }), wanted, JSON.stringify(named))
})

test('spending has terms of its own only where it extends expiries', () => {
  const day = '2026-05-31'
  assert.deepEqual(termsOfDebit({ points: rules({ expire: { inactive: 'P1Y' } }) }, day), {
    ...{ usableOn: day, expiresOn: '2027-05-31', slides: true },
  })
  const others: Rules[] = [
    {},
    { points: rules({ pending: { days: 1 } }) },
    { points: rules({ expire: { after: 'P1Y' } }) },
  ]
  for (const program of others) assert.equal(termsOfDebit(program, day), undefined)
})

test('a program has the point rules that it states, and no others', () => {
  const ends = { after: { months: 1 }, atEndOf: 'day', slides: false }
  assert.deepEqual(rules({ pending: { days: 3 } }), { pending: { days: 3, after: 'ordered' } })
  assert.deepEqual(rules({ expire: { after: 'P1M' } }), { expire: ends })
  assert.deepEqual(rules({ expire: { after: 'P1M' }, 'earlier-points': 'P2Y' }), {
    expire: ends,
    earlierPoints: { ...ends, after: { months: 24 } },
  })
})

test('what a schema cannot check about points is a fault with its path', () => {
  const issues = (written: WrittenPointRules) => {
    const found: string[] = []
    readPointRules(written, (field, error) => {
      found.push(`points${field}`)
      assert.notEqual(error, '')
    })
    return found
  }
  assert.deepEqual(issues({}), ['points'])
  assert.deepEqual(issues({ expire: {} }), ['points.expire'])
  assert.deepEqual(issues({ expire: { after: 'P1M', inactive: 'P1M' } }), ['points.expire'])
  assert.deepEqual(issues({ 'earlier-points': 'P1M' }), ['points.earlier-points'])
  assert.deepEqual(issues({ pending: { days: 1, after: 'fulfilled' }, expire: { inactive: 'P1M' } }), [
    'points.pending.after',
  ])
})

test('terms are the same if both days are the same, and whether they slide; absent terms are the same as absent ones', () => {
  const some = { usableOn: '2026-06-01', expiresOn: '2026-07-01', slides: false }
  assert(areSameTerms(some, { ...some }))
  assert(areSameTerms(undefined, undefined))
  for (const other of [
    { ...some, usableOn: '2026-06-02' },
    { ...some, expiresOn: '2026-07-02' },
    { ...some, slides: true },
    undefined,
  ])
    assert.deepEqual([areSameTerms(some, other), areSameTerms(other, some)], [false, false])
})

test('versions assign an expiry to earlier points on the local day from which they are in effect, sorted by day', () => {
  const version = (from: string, points: object, parts: object = {}) => ({
    ...published({ 'time-zone': 'Asia/Kolkata', points }, 1, from),
    ...parts,
  })
  const ending = { expire: { after: 'P12M' }, 'earlier-points': 'P6M' }
  const expiry = { after: { months: 6 }, atEndOf: 'day', slides: false }
  assert.deepEqual(
    expiryAssignmentsOf([
      version('2026-03-01T20:00:00.000Z', ending),
      version('2026-02-01T00:00:00.000Z', ending),
      version('2026-01-01T00:00:00.000Z', ending, { withdrawn: true }),
      version('-infinity', ending),
      version('2026-04-01T00:00:00.000Z', { expire: { after: 'P12M' } }),
      published({}, 1, '2026-05-01T00:00:00.000Z'),
    ]),
    [
      { on: '2026-02-01', expiry },
      { on: '2026-03-02', expiry },
    ],
  )
})
