import assert from 'node:assert/strict'
import test from 'node:test'
import { InvalidValue } from './record.ts'
import { firstDayKept, periodOrNever, retention } from './retention.ts'

test('what is kept for a period is kept from the same day of an earlier month, or its last; forever deletes nothing', () => {
  const cases = [
    ['P30D', '2026-03-31', '2026-03-01'],
    ['P1M', '2026-03-31', '2026-02-28'],
    ['P1M', '2028-03-31', '2028-02-29'],
    ['P13M', '2026-01-15', '2024-12-15'],
    ['P1Y', '2028-02-29', '2027-02-28'],
    ['P400D', '2026-06-05', '2025-05-01'],
    ['forever', '2026-06-05', undefined],
    ['never', '2026-06-05', undefined],
  ] as const
  for (const [keep, today, first] of cases) assert.equal(firstDayKept(keep, today), first, `${keep} ${today}`)
})

test('a period is at least 30 days or a month', () => {
  for (const keep of ['P30D', 'P1M', 'P99Y', 'forever']) assert.equal(retention.read(keep), keep)
  for (const keep of ['P29D', 'P0M', 'P1W', '30', 'never', '', 'P1M ', 'foreverP1M', 400, null, ['P1M']])
    assert.throws(() => retention.read(keep), InvalidValue, JSON.stringify(keep))
  assert.equal(periodOrNever.read('never'), 'never')
  assert.throws(() => periodOrNever.read('forever'), InvalidValue)
})
