import assert from 'node:assert/strict'
import test from 'node:test'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { forEachService } from '../../test/support/test-app.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { type Backtested, plainBacktest } from './plain-backtest.ts'
import { toPlayers } from './records.ts'
import { toStates } from './states.ts'

const EXTRACT = new URL('./extract/online-retail-extract.csv', import.meta.url)

const OTHER = `
name: Half up
rounding: half-up
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 300 }, { name: Gold, from: 1500 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 7, of: net } }
  - { name: loyal, when: 'player.level != "Bronze"', multiply: { by: "1.5" } }
`

const invoices = await readInvoices(openCsv(EXTRACT.pathname))
const { states } = toStates(invoices)

forEachService((openTestApp) => {
  test('a backtest over the real orders matches a plain integer computation, for the program in effect and for another', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-01-01T00:00:00Z') })
    assert.equal((await app.upsertPlayers(toPlayers(invoices))).status, 200)
    assert.equal((await app.record(states.map(({ order }) => order))).status, 200)
    const before = await app.query('select sum(points)::float8 as points, count(*)::int as entries from entries')
    const ran = async (source: string): Promise<Backtested> => {
      const request = { source, now: '2026-01-01T00:00:00Z' }
      const { tally } = await backtestProgram(app.service.db, request, () => undefined)
      return {
        points: Number(tally.points.after),
        months: new Map([...tally.months].map(([month, { after }]) => [month, Number(after)])),
        levels: tally.levels.after,
      }
    }
    const [starter, other] = [await ran(STARTER_PROGRAM), await ran(OTHER)]
    const plain = plainBacktest(states)
    assert.equal(starter.points, before[0]!.points)
    assert.deepEqual([starter, other].map(inOrder), [plain.held, plain.other].map(inOrder))
    assert.notEqual(other.points, starter.points)
    // The backtest wrote nothing.
    assert.deepEqual(
      await app.query('select sum(points)::float8 as points, count(*)::int as entries from entries'),
      before,
    )
  })
})

const inOrder = (one: Backtested) => ({ ...one, months: [...one.months].sort() })
