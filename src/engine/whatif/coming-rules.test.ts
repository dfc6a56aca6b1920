import assert from 'node:assert/strict'
import test from 'node:test'
import { readStoredProgram } from '../ingest/program-text.ts'
import { comingRules, daysOfRules, movedEarlier, weeksInto } from './coming-rules.ts'

const SOURCE = `name: Club
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 10 } }
  - { name: weekend, during: { from: 2026-11-27, until: 2026-11-29, hours: "22:00-02:00" }, fixed: { points: 50 } }
  - { name: winter, during: { from: 2026-12-01 }, fixed: { points: 5 } }
  - { name: autumn, during: { from: 2026-09-01, until: 2026-11-30 }, fixed: { points: 5 } }
`
const read = readStoredProgram(SOURCE)
assert('program' in read)
const { program } = read

test('rules that begin after today are moved whole weeks earlier, and nothing else is', () => {
  const coming = comingRules(program, '2026-11-26')
  assert.deepEqual([...coming], ['weekend', 'winter'])
  assert.deepEqual([...comingRules(program, '2026-11-27')], ['winter'])
  const [base, weekend, winter, autumn] = movedEarlier(program, coming, 2).earn
  const hours = { from: 22 * 60, until: 2 * 60 }
  assert.deepEqual(weekend!.during, { from: '2026-11-13', until: '2026-11-15', hours })
  assert.deepEqual(winter!.during, { from: '2026-11-17' })
  assert.deepEqual([base, autumn], [program.earn[0], program.earn[3]])
  assert.deepEqual(movedEarlier(program, coming, 0), program)
})

test('the latest past days are the fewest whole weeks back that the orders cover', () => {
  assert.equal(daysOfRules(program, new Set()), undefined)
  assert.deepEqual(daysOfRules(program, new Set(['weekend', 'winter'])), { from: '2026-11-27', until: '2026-12-07' })
  const days = daysOfRules(program, new Set(['weekend']))!
  const cases = [
    ['2026-11-29', 1],
    ['2026-11-22', 1],
    ['2026-11-21', 2],
    ['2026-11-15', 2],
    ['2026-06-07', 25],
  ] as const
  for (const [until, weeks] of cases) assert.equal(weeksInto({ from: '2020-01-01', until }, days), weeks, until)
  assert.equal(weeksInto({ from: '2026-11-20', until: '2026-11-25' }, days), 1)
  assert.equal(weeksInto({ from: '2026-11-21', until: '2026-11-25' }, days), undefined)
})
