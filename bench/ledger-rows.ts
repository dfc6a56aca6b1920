/*
 * Accounts and entries as rows, made by the database itself, for measurements that need more of them than could be sent.
 */

import { sqlFile } from '../src/database/db/sql-file.ts'

/**
 * A statement that gives each of these users an account with `entries` entries, spread evenly over 900 days; every fifth spends. With
 * `explainedOneIn` 1 all others are explained, with 5 one in five entries is. Orders have no rows beside their entries.
 */
export function accountsWithEntries(users: string, entries: number, explainedOneIn: 1 | 5 = 1): string {
  return `with filled as (
    insert into entries (user_id, seq, kind, points, counts, order_id, revision, program_version, at, explanation, recorded_at, day, booked_day, change, usable_on, expires_on, slides)
    select user_id, n, case when is_spent then 'redemption' else 'order' end, case when is_spent then -2000 else 1000 end, not is_spent,
      'o-' || user_id || '-' || n, 1, 1, at, case when is_spent or (n + 1) % ${explainedOneIn} <> 0 then null else '${EXPLANATION}'::json end, at, at::date, at::date, 'placed',
      case when is_spent then null else at::date + 14 end, case when is_spent then null else at::date + 379 end, case when is_spent then null else false end
    from (${users}) as users (user_id)
    cross join generate_series(1, ${entries}) as n
    cross join lateral (select n % 5 = 0 as is_spent, date_trunc('minute', now()) - interval '900 days' * (1 - n::float / ${entries}) as at) as made
  )
  insert into accounts (user_id, points, counted, orders, entries, first_order_id, rev)
  select user_id, ${entries - Math.floor(entries / 5)} * 1000 - ${Math.floor(entries / 5)} * 2000, ${entries - Math.floor(entries / 5)} * 1000, 0, ${entries}, null, 1
  from (${users}) as users (user_id)`
}

const EXPLANATION =
  '{"earned":[{"rule":"base","points":"120","because":{"net":"1200","points":"1","every":"10"}}],"not_applied":[],"rounding":"0","level":{"before":"Silver","after":"Silver","upgraded":false,"counted":1200}}'

/** Lets all accounts keep what their balances are computed from, as the service does within a day after points begin to depend on days. */
export const KEEP_MOVEMENTS = sqlFile(
  new URL('../src/ledger/kept-movements.ts', import.meta.url).href,
  'accounts-keep-movements',
).replace('$1::text[]', 'array(select user_id from accounts)')

export const ANALYZE_LEDGER = 'analyze accounts; analyze entries'
