import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, published } from '../../../test/support/points.ts'
import { UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import { readProgram } from './program.ts'

const LEVELS = { counts: 'lifetime', ladder: [{ name: 'Bronze', from: 0 }] }

function pointsAt(at: string, parts: object, zone?: string, dateOfBirth?: string): bigint {
  const program = published({
    rounding: 'floor',
    levels: LEVELS,
    earn: [{ name: 'timed', fixed: { points: 1 }, ...parts }],
    ...(zone === undefined ? {} : { 'time-zone': zone }),
  })
  const player = { ...UNKNOWN_PLAYER, known: true, ...(dateOfBirth === undefined ? {} : { dateOfBirth }) }
  const context = { levelPoints: 0n, referral: { why: 'no-code' } } as const
  return predict(orderOf({ at }), player, new Map(), program, context).points
}

test('a rule holds during its days and hours on the wall clock of its time zone', () => {
  const friday = { from: '2026-11-27', until: '2026-11-27' }
  const late = { days: ['fri'], hours: '22:00-02:00' }
  const cases: [at: string, zone: string | undefined, during: object, holds: boolean][] = [
    // The last day is inclusive, in UTC where no zone is named.
    ['2026-11-26T23:59:59.999Z', undefined, friday, false],
    ['2026-11-27T00:00:00.000Z', undefined, friday, true],
    ['2026-11-27T23:59:59.999Z', undefined, friday, true],
    ['2026-11-28T00:00:00.000Z', undefined, friday, false],
    ['2026-11-27T10:59:59.999Z', 'Pacific/Pago_Pago', friday, false],
    ['2026-11-28T10:59:59.999Z', 'Pacific/Pago_Pago', friday, true],
    ['2026-11-26T10:00:00.000Z', 'Pacific/Kiritimati', friday, true],
    ['2026-11-27T10:00:00.000Z', 'Pacific/Kiritimati', friday, false],
    // The end of hours is exclusive; 24:00 is midnight.
    ['2026-11-27T18:00:00.000Z', undefined, { hours: '18:00-20:00' }, true],
    ['2026-11-27T19:59:59.999Z', undefined, { hours: '18:00-20:00' }, true],
    ['2026-11-27T20:00:00.000Z', undefined, { hours: '18:00-20:00' }, false],
    // Hours may begin and end at any minute.
    ['2026-11-27T10:29:59.999Z', undefined, { hours: '10:30-10:45' }, false],
    ['2026-11-27T10:30:00.000Z', undefined, { hours: '10:30-10:45' }, true],
    ['2026-11-27T10:45:00.000Z', undefined, { hours: '10:30-10:45' }, false],
    ['2026-11-27T23:59:59.999Z', undefined, { hours: '18:00-24:00' }, true],
    ['2026-11-28T00:00:00.000Z', undefined, { hours: '18:00-24:00' }, false],
    // Across midnight they belong to the day on which they begin: 27 November is a Friday.
    ['2026-11-27T01:00:00.000Z', undefined, late, false],
    ['2026-11-27T22:00:00.000Z', undefined, late, true],
    ['2026-11-28T01:59:59.999Z', undefined, late, true],
    ['2026-11-28T02:00:00.000Z', undefined, late, false],
    ['2026-11-28T22:00:00.000Z', undefined, late, false],
    ['2026-11-28T01:00:00.000Z', undefined, { ...friday, hours: '22:00-02:00' }, true],
    ['2026-11-27T01:00:00.000Z', undefined, { ...friday, hours: '22:00-02:00' }, false],
    ['2026-11-27T17:00:00.000Z', 'Asia/Kolkata', late, true],
    // 01:30 comes twice on 25 October 2026 in London, and not at all on 29 March.
    ['2026-10-25T00:30:00.000Z', 'Europe/London', { hours: '01:00-02:00' }, true],
    ['2026-10-25T01:30:00.000Z', 'Europe/London', { hours: '01:00-02:00' }, true],
    ['2026-10-25T02:00:00.000Z', 'Europe/London', { hours: '01:00-02:00' }, false],
    ['2026-03-29T00:59:59.999Z', 'Europe/London', { hours: '01:00-02:00' }, false],
    ['2026-03-29T01:00:00.000Z', 'Europe/London', { hours: '01:00-02:00' }, false],
  ]
  for (const [at, zone, during, holds] of cases)
    assert.equal(pointsAt(at, { during }, zone), holds ? 1n : 0n, `${at} ${zone} ${JSON.stringify(during)}`)
})

test('a rule that does not apply at the time of an order says what that time is', () => {
  const program = published({
    rounding: 'floor',
    levels: LEVELS,
    'time-zone': 'Asia/Kolkata',
    earn: [{ name: 'timed', fixed: { points: 1 }, during: { hours: '18:00-20:00' } }],
  })
  const order = orderOf({ at: '2026-11-27T20:00:00.000Z' })
  const { notApplied } = predict(order, UNKNOWN_PLAYER, new Map(), program, {
    levelPoints: 0n,
    referral: { why: 'no-code' },
  })
  const why = 'outside its schedule: order placed sat 2026-11-28 01:30, Asia/Kolkata'
  assert.deepEqual(notApplied, [{ rule: 'timed', why }])
})

test('conditions see the local date of the order, and birthdays and ages of that day', () => {
  const cases: [when: string, at: string, zone: string, dateOfBirth: string | undefined, holds: boolean][] = [
    ['order.date == "2026-11-28"', '2026-11-27T20:00:00.000Z', 'Asia/Kolkata', undefined, true],
    ['order.date >= "2026-11-28"', '2026-11-27T20:00:00.000Z', 'Europe/London', undefined, false],
    ['player.is_birthday', '2026-11-27T20:00:00.000Z', 'Asia/Kolkata', '1990-11-28', true],
    ['player.is_birthday', '2026-11-27T20:00:00.000Z', 'Europe/London', '1990-11-28', false],
    ['player.is_birthday || true', '2026-11-27T20:00:00.000Z', 'Europe/London', undefined, true],
    ['!player.is_birthday', '2026-11-27T20:00:00.000Z', 'Europe/London', undefined, false],
    ['player.is_birthday', '2026-03-01T12:00:00.000Z', 'UTC', '2000-02-29', true],
    ['player.is_birth_month', '2026-02-28T12:00:00.000Z', 'UTC', '2000-02-29', false],
    ['player.is_birthday', '2028-02-29T12:00:00.000Z', 'UTC', '2000-02-29', true],
    ['player.is_birthday', '2028-03-01T12:00:00.000Z', 'UTC', '2000-02-29', false],
    ['player.is_birth_month', '2026-11-30T20:00:00.000Z', 'UTC', '1990-11-01', true],
    ['player.is_birth_month', '2026-11-30T20:00:00.000Z', 'Asia/Kolkata', '1990-11-01', false],
    ['player.age == 36', '2026-11-27T20:00:00.000Z', 'Asia/Kolkata', '1990-11-28', true],
    ['player.age == 35', '2026-11-27T20:00:00.000Z', 'UTC', '1990-11-28', true],
  ]
  for (const [when, at, zone, dateOfBirth, holds] of cases)
    assert.equal(pointsAt(at, { when }, zone, dateOfBirth), holds ? 1n : 0n, `${when} ${at} ${zone}`)
})

test('errors in days, hours or a time zone are reported with their paths', () => {
  const issuesOf = (change: object, during?: object) => {
    const earn = [{ name: 'timed', fixed: { points: 1 }, ...(during === undefined ? {} : { during }) }]
    const read = readProgram({ name: 'Example', rounding: 'floor', levels: LEVELS, earn, ...change })
    return 'issues' in read ? read.issues.map(({ path, error }) => `${path}: ${error}`) : []
  }
  const cases: [string[], string][] = [
    [
      issuesOf({ 'time-zone': 'Mars/Olympus' }),
      'time-zone: unknown time zone "Mars/Olympus", expected one like Europe/London',
    ],
    [issuesOf({ 'time-zone': '+05:30' }), 'time-zone: expected a time zone like Europe/London'],
    [issuesOf({}, {}), 'earn[0].during: expected from, until, days or hours'],
    [issuesOf({}, { from: '2026-02-30' }), 'earn[0].during.from: expected a date like 2026-11-27, got "2026-02-30"'],
    [issuesOf({}, { from: '27.11.2026' }), 'earn[0].during.from: expected a date like 2026-11-27'],
    [
      issuesOf({}, { from: '2026-11-27', until: '2026-11-26' }),
      'earn[0].during.until: expected a date not before from',
    ],
    [issuesOf({}, { days: ['friday'] }), 'earn[0].during.days[0]: expected one of sun, mon, tue, wed, thu, fri, sat'],
    [issuesOf({}, { hours: '18-20' }), 'earn[0].during.hours: expected a time range in quotes, like "18:00-20:00"'],
    [issuesOf({}, { hours: '18:00-18:00' }), 'earn[0].during.hours: expected different start and end times'],
    [issuesOf({}, { day: 'fri' }), 'earn[0].during.day: unknown field, did you mean days?'],
  ]
  for (const [issues, expected] of cases) assert.deepEqual(issues, [expected])
})
