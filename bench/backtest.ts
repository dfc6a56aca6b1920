/*
 * Recorded orders computed again by `laurel program backtest`, as a separate process: how many a second, and whether its memory grows with them.
 */
import { fileURLToPath } from 'node:url'
import { runOnce } from '../test/support/postgres-server.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { ORDERS_PATH, sendAll } from './http.ts'
import { runCommand } from './processes.ts'
import type { Round } from './round.ts'
import { anOrder, bodyOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { type Data, onCopy, start } from './testbed.ts'

/** Orders that the service records; all others are copies of these. */
const TEMPLATES = 100
const ORDERS_EACH = 10
const PROGRAM = fileURLToPath(new URL('../examples/programs/tiers.yaml', import.meta.url))

export async function measureBacktest({ testbed, database, runs, records }: Round): Promise<Figure[]> {
  if (database === 'embedded') return []
  const sizes = [records / 10, records, records * 10].map((orders) => Math.max(TEMPLATES, Math.round(orders)))
  const figures: Figure[] = []
  let least: readonly number[] | undefined
  for (const orders of sizes) {
    const { rate, memory } = await onCopy(
      testbed,
      await testbed.filled(database, { players: TEMPLATES, products: TEMPLATES }),
      async (data) => {
        await fillWithOrders(data, orders)
        return await alternate(runs, [() => backtest(data, orders)])
      },
    )
    least ??= memory
    const note = `${orders} orders of three lines, ${ORDERS_EACH} of each player`
    figures.push(
      figureOf(TARGETS.backtest, { database, ours: rate, note: `${note}; without the start of the command` }),
    )
    figures.push(
      figureOf(TARGETS.backtestMemory, {
        database,
        floor: least,
        ours: memory,
        note: `${note}; floor: ${sizes[0]} orders`,
      }),
    )
  }
  return figures
}

/** Orders a second, and the peak memory of the process in megabytes. The time that a backtest of no orders takes is subtracted. */
async function backtest(data: Data, orders: number): Promise<{ rate: number; memory: number }> {
  const idle = await run(data, ['--to', '1990-01-01'])
  const whole = await run(data, [])
  if (whole.orders !== orders) throw new Error(`${whole.orders} orders were computed, ${orders} are there`)
  return { rate: (orders / (whole.ms - idle.ms)) * 1_000, memory: whole.megabytes }
}

async function run({ directory, databaseUrl }: Data, range: readonly string[]) {
  const env = { LAUREL_DATA: directory, DATABASE_URL: databaseUrl }
  const { stdout, ...spent } = await runCommand(['program', 'backtest', PROGRAM, '--json', ...range], env)
  const { orders } = JSON.parse(stdout) as { orders: number }
  return { ...spent, orders }
}

/** Records a few orders through the service, and copies what it wrote to other players, ids and moments, so that `laurel ledger verify` finds no difference. */
async function fillWithOrders(data: Data, orders: number): Promise<void> {
  const service = await start(data)
  const templates = Array.from({ length: TEMPLATES }, (_, index) =>
    anOrder(index, { players: TEMPLATES, products: TEMPLATES }),
  )
  await sendAll(service, ORDERS_PATH, { bodies: [bodyOf(templates)], connections: 1 })
  await service.stop()
  const players = Math.ceil(orders / ORDERS_EACH)
  const [own, id] = [`'p-' || lpad((n % ${players})::text, 9, '0')`, "'o-' || n"]
  const at = "timestamptz '2026-01-01 00:00:00Z' + n * interval '20 seconds'"
  await runOnce(
    data.databaseUrl!,
    `create temp table recorded as
       select row_number() over (order by o.order_id) - 1 as place, o.state, o.program_version, o.facts, o.points, e.explanation
       from orders o join entries e on e.order_id = o.order_id and e.kind = 'order';
     truncate orders, entries, accounts, order_owners, tallies, statistics_days, statistics_months;
     create temp table copies as select n, n % ${TEMPLATES} as place, ${own} as user_id, ${id} as order_id, ${at} as at from generate_series(0, ${orders - 1}) as n;
     insert into orders
       select user_id, order_id, at, state, program_version, facts, points, null, 0, 1, at, at from copies join recorded using (place) order by n;
     insert into entries
       select user_id, n / ${players} + 1, 'order', points, true, order_id, 1, program_version, at, null, null, explanation, at
       from copies join recorded using (place) order by n;
     insert into order_owners select order_id, user_id from copies;
     insert into accounts
       select user_id, sum(points), sum(points), count(*), count(*), min(order_id), 1 from copies join recorded using (place) group by user_id;
     analyze orders; analyze entries; analyze accounts`,
  )
}
