/*
 * Measures a backup and a restore of very many players: time, memory, size of the file, and predictions meanwhile. A fifth of the players have an order.
 */
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { GROWN_SERVER } from '../../bench/growth.ts'
import { ORDERS_PATH, PRODUCTS_PATH, sendAll } from '../../bench/http.ts'
import { load } from '../../bench/load.ts'
import { anOrder, aProduct, bodiesOf, bodyOf } from '../../bench/samples.ts'
import { launch, startService, tokenIn } from '../support/service-process.ts'
import type { CampaignDatabase } from './arguments.ts'
import { onDatabase, openPlaces, type Place } from './backup-places.ts'

const TEMPLATES = 1_000
const ORDERED_ONE_IN = 5
const LOAD_SECONDS = 10
/** The first load warms up. */
const LOADS_ALONE = 4
const WATCH_MS = 200

/** Rejects if a command fails. `say` is called with a line for each figure. */
export async function measureBackup(
  database: CampaignDatabase,
  { players, say }: Readonly<{ players: number; say: (line: string) => void }>,
): Promise<void> {
  const places = await openPlaces({ durable: true, settings: GROWN_SERVER })
  const place = await places.open(database)
  const size = { players, products: TEMPLATES }
  try {
    await fill(place, players)
    const service = await startService(place)
    const target = { url: service.url, token: tokenIn(place.data), pid: service.pid }
    const alone: number[] = []
    for (let round = 0; round < LOADS_ALONE; round += 1) alone.push((await load(target, size, LOAD_SECONDS)).p99)
    const quiet = await run(['backup', places.newPath('quiet.zst')], place, service.pid)
    const file = places.newPath('busy.zst')
    const meanwhile: number[] = []
    const running = run(['backup', file], place, service.pid)
    let isOver = false
    const over = running.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const { p99 } = await load(target, size, LOAD_SECONDS)
      if (!isOver || meanwhile.length === 0) meanwhile.push(p99)
    }
    const busy = await over
    await service.stop()
    const restored = await run(['restore', file], await places.open(database))
    const [before, during] = [median(alone.slice(1)), median(meanwhile)]
    say(
      `${database}, ${players} players and ${players / ORDERED_ONE_IN} orders: backup in ${quiet.text}, beside 64 connections with predictions in ${busy.text}; ${(statSync(file).size / 1e6).toFixed(0)} MB; restore in ${restored.text}`,
    )
    say(
      `p99 of predictions: ${before.toFixed(0)} ms alone, ${during.toFixed(0)} ms beside a backup (${(during / before).toFixed(2)} times; ${meanwhile.length} loads of ${LOAD_SECONDS} s: ${meanwhile.map((p99) => p99.toFixed(0)).join(', ')})`,
    )
  } finally {
    await places.close()
  }
}

/** Rows as the service writes them: those of a few orders that it has recorded, for other players and with other ids. */
async function fill(place: Place, players: number): Promise<void> {
  const service = await startService(place)
  const target = { url: service.url, token: tokenIn(place.data) }
  const products = bodiesOf(aProduct, { records: TEMPLATES, each: TEMPLATES })
  await sendAll(target, PRODUCTS_PATH, { bodies: products, connections: 1 })
  const orders = Array.from({ length: TEMPLATES }, (_, index) =>
    anOrder(index, { players: TEMPLATES, products: TEMPLATES }),
  )
  await sendAll(target, ORDERS_PATH, { bodies: [bodyOf(orders)], connections: 1 })
  await service.stop()
  const id = `'user-' || lpad((n * ${ORDERED_ONE_IN})::text, 8, '0')`
  const script = `
    set local statement_timeout = 0;
    insert into players (user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country, row_hash, rev, created_at, updated_at)
      select 'user-' || lpad(n::text, 8, '0'), 'Customer ' || n, 'customer.' || n || '@example.com', '09' || lpad(n::text, 8, '0'), n % 300 || ' Harbour Road',
        date '1950-01-01' + n % 18000, case n % 2 when 0 then 'female' else 'male' end, 'REF' || n, 'Kerala', 'Ernakulam', '', 680000 + n % 1000, 'India',
        decode(md5(n::text), 'hex'), 1, now(), now()
      from generate_series(0, ${players - 1}) as n on conflict do nothing;
    create temp table recorded_orders on commit drop as
      select row_number() over (order by order_id) - 1 as place, * from orders;
    create temp table recorded_entries on commit drop as
      select o.place, e.* from entries e join recorded_orders o using (user_id, order_id) where e.kind = 'order';
    truncate orders, entries, accounts, order_owners, account_changes, account_figures;
    create temp table copies on commit drop as
      select n, n % ${TEMPLATES} as place, ${id} as user_id, 'copied-' || n as order_id from generate_series(0, ${players / ORDERED_ONE_IN - 1}) as n;
    insert into orders
      select c.user_id, c.order_id, ${columns('o', 'ordered_at, state, program_version, facts, points, referrer_id, referrer_points, rev, recorded_at, updated_at, first_digests, state_version')}
      from copies c join recorded_orders o using (place);
    insert into entries
      select c.user_id, 1, e.kind, e.points, e.counts, c.order_id, ${columns('e', 'revision, program_version, at, adjustment_id, reason, explanation, recorded_at, day, booked_day, change, by, usable_on, expires_on, slides, redemption_id, level_points')}
      from copies c join recorded_entries e using (place);
    insert into order_owners select order_id, user_id from copies;
    insert into accounts select c.user_id, o.points, o.points, 1, 1, c.order_id, 1 from copies c join recorded_orders o using (place);`
  await onDatabase(place, async (db) => {
    await db.transaction((tx) => tx.script(script), performance.now() + 3_600_000)
    await db.transaction(
      (tx) => tx.script('analyze players; analyze orders; analyze entries; analyze accounts'),
      performance.now() + 3_600_000,
    )
  })
}

const columns = (table: string, names: string) =>
  names
    .split(', ')
    .map((name) => `${table}.${name}`)
    .join(', ')

/** Runs a command to its end. `text`: how long it took, and the most memory that it had, and the service if that works for it. */
async function run(args: readonly string[], { env, database }: Place, servicePid?: number): Promise<{ text: string }> {
  const startedAt = performance.now()
  const command = launch(args, { env })
  const watched = database === 'embedded' ? (servicePid ?? command.pid) : command.pid
  let peak = 0
  let isOver = false
  const watching = (async () => {
    for (; !isOver; await sleep(WATCH_MS)) peak = Math.max(peak, residentKib(watched))
  })()
  const { code, stderr } = await command.ended
  isOver = true
  await watching
  if (code !== 0) throw new Error(`laurel ${args.join(' ')} ended with ${code}: ${stderr}`)
  return { text: `${((performance.now() - startedAt) / 1_000).toFixed(0)} s with ${(peak / 1_000).toFixed(0)} MB` }
}

/** Now; 0 once the process has ended. Linux only. */
function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}
