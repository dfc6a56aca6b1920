import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'

const MOMENTS = new URL('../../console/src/moments.ts', import.meta.url).href

for (const zone of ['America/New_York', 'Pacific/Pago_Pago', 'Asia/Kolkata', 'Pacific/Auckland'])
  test(`a calendar day is shown as that day in ${zone}, where the day of a moment is the local one`, () => {
    const code = `import { calendarDayText, dayText } from ${JSON.stringify(MOMENTS)}
      console.log(JSON.stringify([calendarDayText('2026-02-01'), calendarDayText('infinity'), dayText('2026-02-01T12:00:00Z')]))`
    const shown = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, TZ: zone },
      encoding: 'utf8',
    })
    const noon = zone === 'Pacific/Auckland' ? '2 Feb 2026' : '1 Feb 2026'
    assert.deepEqual(JSON.parse(shown), ['1 Feb 2026', 'infinity', noon])
  })
