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
