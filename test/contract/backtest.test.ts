/*
 * The promises of backtests: the program that held comes to what the ledger holds, another one to what would have been recorded under it.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { documentOf } from '../../src/cli/backtest-document.ts'
import { textOf } from '../../src/cli/backtest-text.ts'
import { readProgramText } from '../../src/ingest/program-text.ts'
import { type BacktestOutcome, backtestProgram } from '../../src/operations/backtest-program.ts'
import { add, type Ratio, ratio, ratioText } from '../../src/points/arithmetic.ts'
import { history, openWorlds, sourceOf, take } from '../support/histories.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const HISTORIES = 25

const params = (numRuns: number) => ({
  numRuns,
  endOnFailure: true,
  interruptAfterTimeLimit: 60_000,
  markInterruptAsFailure: true,
})

function backtestOf(
  app: TestApp,
  source: string,
  wish: { from?: string; to?: string; now: string },
): Promise<BacktestOutcome> {
  const read = readProgramText(source)
  assert('program' in read)
  return backtestProgram(app.service.db, { candidate: read.program, ...wish }, () => undefined)
}

/** What must hold of every outcome. */
function assertAddsUp({ tally }: BacktestOutcome): void {
  for (const side of ['before', 'after'] as const) {
    const months = [...tally.months.values()].reduce((sum, month) => sum + month[side], 0n)
    assert.equal(months, tally.points[side])
    const rules = [...tally.rules.values()].reduce<Ratio>((sum, rule) => add(sum, rule[side]), ratio(0n))
    const all = [tally.referral[side], tally.rounding[side], ratio(tally.referrer[side])].reduce(add, rules)
    assert.equal(ratioText(all), String(tally.points[side]))
  }
  assert.equal(tally.unlikeLedger, 0)
}

forEachService((openTestApp) => {
  test('a backtest of the program that held gives exactly what the ledger holds', async (t) => {
    const newWorld = await openWorlds((options) => openTestApp(t, options))
    await fc.assert(
      fc.asyncProperty(history, fc.nat(300), async ({ program, steps }, days) => {
        const source = sourceOf(program)
        const world = await newWorld(source)
        for (const one of steps) if (one.kind !== 'program') await take(world, one)
        const { app, prefix, begins, clock } = world
        const to = new Date(clock.now.getTime() + 1).toISOString()
        for (const from of [new Date(begins).toISOString(), new Date(begins + days * 86_400_000).toISOString()]) {
          const outcome = await backtestOf(app, source, { from, to, now: to })
          const { tally } = outcome
          assertAddsUp(outcome)
          const [ledger] = await app.query(`
            select coalesce(sum(points), 0)::text as points, count(distinct order_id) filter (where kind = 'order')::int as orders
            from entries where user_id like '${prefix}%' and kind <> 'adjustment' and at >= '${from}' and at < '${to}'`)
          assert.deepEqual([String(tally.points.before), String(tally.points.after)], [ledger!.points, ledger!.points])
          for (const { before, after } of [...tally.months.values(), tally.referrer]) assert.equal(before, after)
          for (const { before, after } of [...tally.rules.values(), tally.referral, tally.rounding])
            assert.equal(ratioText(before), ratioText(after))
          assert.deepEqual(tally.levels.before, tally.levels.after)
          assert.deepEqual([tally.moves.size, tally.winners, tally.losers], [0, [], []])
          textOf(documentOf(outcome, '0.01'))
        }
      }),
      params(HISTORIES),
    )
  })
})
