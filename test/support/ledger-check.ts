/*
 * An independent check of the ledger: how accounts, orders and entries must agree, in plain SQL and plain sums.
 * It shares no code with the service, so that both cannot be wrong in the same way.
 */
import assert from 'node:assert/strict'
import type { Db } from '../../src/database/db/transaction.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'

export type Query = (sql: string) => Promise<Record<string, unknown>[]>

/** Each query returns a row for every fault. */
const FAULTS: Readonly<Record<string, string>> = {
  'the account is not the sum of its entries': `
    select coalesce(a.user_id, e.user_id) as who,
      a.points as points, e.points as points_summed, a.counted, e.counted as counted_summed, a.entries, e.entries as entries_there
    from accounts a
    full join (
      select user_id, sum(points) as points, coalesce(sum(points) filter (where counts), 0) as counted, count(*) as entries
      from entries group by user_id
    ) e on e.user_id = a.user_id
    where a.user_id is null
      or (a.points, a.counted, a.entries) is distinct from (coalesce(e.points, 0), coalesce(e.counted, 0), coalesce(e.entries, 0))`,
  'the entries are not numbered from 1 without gaps': `
    select user_id as who, min(seq) as lowest, max(seq) as highest, count(*) as there
    from entries group by user_id having min(seq) <> 1 or max(seq) <> count(*)`,
  'the account counts other orders than there are': `
    select a.user_id as who, a.orders as counted, coalesce(o.orders, 0) as there
    from accounts a
    left join (select user_id, count(*) as orders from orders group by user_id) o on o.user_id = a.user_id
    where a.orders <> coalesce(o.orders, 0)`,
  'the first order is not one of the player, or is missing though one is placed': `
    select a.user_id as who, a.first_order_id
    from accounts a
    where (a.first_order_id is not null
        and not exists (select from orders o where o.user_id = a.user_id and o.order_id = a.first_order_id))
      or (a.first_order_id is null
        and exists (select from orders o where o.user_id = a.user_id and o.state ->> 'status' = 'placed'))`,
  'the entries of the order do not sum to its points': `
    select o.order_id as who, o.points, e.points as summed
    from orders o
    left join (
      select user_id, order_id, sum(points) as points from entries where kind = 'order' group by user_id, order_id
    ) e on e.user_id = o.user_id and e.order_id = o.order_id
    where e.points is distinct from o.points`,
  'the referral of the order does not sum to what it gives': `
    select o.order_id as who, o.referrer_id, o.referrer_points, e.user_id, e.points as summed
    from orders o
    full join (
      select user_id, order_id, sum(points) as points from entries where kind = 'referral' group by user_id, order_id
    ) e on e.order_id = o.order_id and e.user_id is not distinct from o.referrer_id
    where coalesce(e.points, 0) <> coalesce(o.referrer_points, 0)`,
  'the account holds more than the interface can carry': `
    select user_id as who, points, counted from accounts where greatest(abs(points), abs(counted)) > 9007199254740991`,
  'the order refers its own player': 'select order_id as who from orders where referrer_id = user_id',
  'the order is not placed, and gives points': `
    select order_id as who, points, referrer_points
    from orders where state ->> 'status' <> 'placed' and (points <> 0 or referrer_points <> 0)`,
  'points are at another moment than their order': `
    select e.order_id as who, e.user_id, e.at, sum(e.points) as points
    from entries e join orders o on o.order_id = e.order_id
    where e.at <> o.ordered_at and e.kind <> 'reinstated'
    group by e.order_id, e.user_id, e.at having sum(e.points) <> 0`,
  'the order has another owner, or none, or is none': `
    select coalesce(o.order_id, w.order_id) as who, o.user_id, w.user_id as owner
    from orders o full join order_owners w on w.order_id = o.order_id
    where o.user_id is distinct from w.user_id`,
  'the entry disagrees with its order': `
    select coalesce(e.order_id, '') as who, e.user_id, e.seq, e.kind, e.revision, e.program_version, o.rev, o.program_version as of_order
    from entries e left join orders o on o.order_id = e.order_id
    where e.kind in ('order', 'referral')
      and (o.order_id is null or e.revision is null or e.revision not between 1 and o.rev
        or e.program_version is distinct from o.program_version
        or (e.kind = 'order' and (e.user_id <> o.user_id or not e.counts or e.explanation is null)))`,
  'the order has no entry of its first recording': `
    select o.order_id as who from orders o
    where not exists (
      select from entries e where e.user_id = o.user_id and e.order_id = o.order_id and e.kind = 'order' and e.revision = 1
    )`,
  'the entries of the order are not in the order of its revisions': `
    select order_id as who, seq, revision from (
      select order_id, seq, revision, lag(revision) over (partition by user_id, order_id, kind order by seq) as before
      from entries where order_id is not null
    ) e where revision < before`,
  'the entries belong to no player': `
    select user_id as who from entries e where not exists (select from players p where p.user_id = e.user_id)`,
}

/** Fails with every fault in the ledger that the service's own verification or the independent one finds. */
export async function checkLedger(db: Db): Promise<void> {
  assert.deepEqual((await verifyLedger(db, () => undefined)).differences, [])
  await checkIndependently((sql) => db.read(sql, [], performance.now() + 60_000))
}

/** All rows are brought together first: a cluster of servers does not join every two tables. */
const ROWS = ['accounts', 'entries', 'order_owners', 'orders', 'players']
  .map((table) => `${table} as materialized (select * from ${table})`)
  .join(', ')

/** The independent check: up to a few faults of each kind. */
async function checkIndependently(query: Query): Promise<void> {
  const faults: string[] = []
  for (const [what, sql] of Object.entries(FAULTS)) {
    const rows = await query(`with ${ROWS} select * from (${sql}) as fault limit 3`)
    faults.push(...rows.map((row) => `${what}: ${JSON.stringify(row, (_, value) => shown(value))}`))
  }
  assert.deepEqual([...faults, ...(await explanationFaults(query))], [])
}

type OrderEntry = { order_id: string; revision: string; points: string; rule_points: string; rounding: string }

/** After every revision the order's entries must sum to the total of that revision's explanation. */
async function explanationFaults(query: Query): Promise<string[]> {
  const entries = (await query(`
    select order_id, revision::text as revision, points::text as points, explanation ->> 'rounding' as rounding,
      (select coalesce(string_agg(rule ->> 'points', ' '), '0') from json_array_elements(explanation -> 'earned') as rule) as rule_points
    from entries where kind = 'order' and explanation is not null
    order by user_id, seq`)) as OrderEntry[]
  const revisions = Map.groupBy(entries, ({ order_id, revision }) => JSON.stringify([order_id, revision]))
  const sums = new Map<string, bigint>()
  return [...revisions].flatMap(([name, [first, ...more]]) => {
    const { order_id: id, rule_points: rules, rounding } = first!
    const sum = [first!, ...more].reduce((before, { points }) => before + BigInt(points), sums.get(id) ?? 0n)
    sums.set(id, sum)
    const explained = sumOfExact([...rules.split(' '), rounding])
    return explained === String(sum) ? [] : [`order and revision ${name}: explained ${explained}, summed ${sum}`]
  })
}

/** The sum of exact numbers as the API writes them: `12.5`, `10/3`. */
function sumOfExact(texts: readonly string[]): string {
  let [num, den] = [0n, 1n]
  for (const text of texts) {
    const [over = '', under = '1'] = text.split('/')
    const [whole = '', decimals = ''] = over.split('.')
    const [n, d] = [BigInt(whole + decimals), BigInt(under) * 10n ** BigInt(decimals.length)]
    num = num * d + n * den
    den *= d
  }
  return num % den === 0n ? String(num / den) : `${num}/${den}`
}

function shown(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
