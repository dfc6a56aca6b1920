import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'

const of = (file: string) => JSON.stringify(new URL(`../../console/src/${file}`, import.meta.url).href)

/** What code that imports these modules of the console computes in a process of this time zone. */
function computedIn(zone: string, code: string): unknown {
  const source = `import * as days from ${of('calendar-days.ts')}
    import * as moments from ${of('moments.ts')}
    import { daysOf } from ${of('url-state.ts')}
    console.log(JSON.stringify(${code}))`
  const env = { ...process.env, TZ: zone }
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', source], { env, encoding: 'utf8' }))
}

for (const zone of ['America/New_York', 'Pacific/Pago_Pago', 'Asia/Kolkata', 'Pacific/Auckland'])
  test(`a calendar day is shown as that day in ${zone}, and what is none is shown as it is`, () => {
    const texts = ['2026-02-01', '2026-02-30', '2026-02-01T00:00:00Z', 'infinity']
    assert.deepEqual(computedIn(zone, `${JSON.stringify(texts)}.map(days.calendarDayText)`), [
      '1 Feb 2026',
      '2026-02-30',
      '2026-02-01T00:00:00Z',
      'infinity',
    ])
  })

test('a span in an address is checked: a month or a day that does not exist means the last 30 days', () => {
  const lastDays = { from: '2026-02-01', to: '2026-03-02' }
  const keys = ['2024-02', '2026-02-27..2026-03-01', '2026-13', '2026-02-30..2026-03-01']
  assert.deepEqual(computedIn('UTC', `${JSON.stringify(keys)}.map((key) => daysOf(key, '2026-03-02'))`), [
    { from: '2024-02-01', to: '2024-02-29' },
    { from: '2026-02-27', to: '2026-03-01' },
    lastDays,
    lastDays,
  ])
})

test('a time typed in a zone is the moment at which its clock shows it: none where clocks skip it, two where they repeat it', () => {
  const times = [
    ['2026-11-27T00:00', 'Asia/Kolkata'],
    ['2027-03-28T01:30', 'Europe/London'],
    ['2027-03-28T02:00', 'Europe/London'],
    ['2027-10-31T01:30', 'Europe/London'],
    ['2027-04-04T02:15', 'Australia/Lord_Howe'],
    ['2027-04-04T01:45', 'Australia/Lord_Howe'],
    ['2011-12-30T12:00', 'Pacific/Apia'],
    ['2026-02-30T12:00', 'UTC'],
    ['202710-01-01T10:30', 'UTC'],
    ['2026-01-01T24:00', 'UTC'],
  ]
  const code = `${JSON.stringify(times)}.map(([wall, zone]) => moments.instantsOnClock(wall, zone) ?? null)`
  assert.deepEqual(computedIn('America/New_York', code), [
    ['2026-11-26T18:30:00.000Z'],
    [],
    ['2027-03-28T01:00:00.000Z'],
    ['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z'],
    ['2027-04-03T15:45:00.000Z'],
    ['2027-04-03T14:45:00.000Z', '2027-04-03T15:15:00.000Z'],
    [],
    null,
    null,
    null,
  ])
})

test("a moment is shown in the zone asked for, with the browser's own time where that differs, and a calendar day never as a moment", () => {
  const shown = (zone: string) =>
    computedIn(
      zone,
      `['2026-07-09T23:00:00Z', '2026-07-10', '-infinity'].map((at) => [moments.timestampText(at, 'Europe/London'), moments.browserTimeText(at, 'Europe/London') ?? null])`,
    )
  const asTheyAre = [
    ['2026-07-10', null],
    ['-infinity', null],
  ]
  assert.deepEqual(shown('Europe/Paris'), [['10 Jul 2026, 00:00', '10 Jul 2026, 01:00 your time'], ...asTheyAre])
  assert.deepEqual(shown('Europe/Lisbon'), [['10 Jul 2026, 00:00', null], ...asTheyAre])
})
