-- name: accounts-lock
-- in:   $1 user ids, $2 order ids and $3 referral codes: who sends which order with which code; the last two empty if there is none
-- out:  user_id of those that were created; creates and locks the accounts of these players, and of those whom the codes of their first orders refer to
-- why:  every writer locks its accounts first and in the same order, so that writers never deadlock
with sent as (
  select distinct user_id, order_id, code
  from unnest($1::text[], $2::text[], $3::text[]) as sent (user_id, order_id, code)
),
first_orders as (
  select sent.*
  from sent
  left join accounts a on a.user_id = sent.user_id
  where sent.order_id <> '' and (a.first_order_id is null or a.first_order_id = sent.order_id)
)
insert into accounts as a (user_id, points, counted, orders, entries, rev)
select user_id, 0, 0, 0, 0, 1
from (
  select user_id from players where user_id in (select user_id from sent)
  union
  select p.user_id
  from first_orders
  cross join lateral (
    select min(user_id) as user_id
    from (
      select user_id from players
      where refer_code = first_orders.code and refer_code <> '' and user_id <> first_orders.user_id
      limit 2
    ) as code_owners
    having count(*) = 1 -- A code that several players share refers nobody.
  ) as p
  union
  select owner ->> 'referrerId'
  from first_orders
  join orders o on o.user_id = first_orders.user_id and o.order_id = first_orders.order_id
  cross join lateral json_each(o.facts -> 'codes') as named (code, owner)
  where owner ->> 'referrerId' is not null
) as wanted
order by user_id
on conflict (user_id) do update set rev = a.rev where false -- Locks existing rows without writing new versions of them.
returning user_id

-- on a cluster: accounts-lock
-- why:  no limit in a lateral subquery; a code that very many players share takes as long as reading them all
with sent as materialized (
  select distinct user_id, order_id, code
  from unnest($1::text[], $2::text[], $3::text[]) as sent (user_id, order_id, code)
),
placed as materialized (
  select user_id, first_order_id from accounts where user_id = any ($1::text[]) and first_order_id is not null
),
first_orders as materialized (
  select sent.*
  from sent
  left join placed on placed.user_id = sent.user_id
  where sent.order_id <> '' and (placed.first_order_id is null or placed.first_order_id = sent.order_id)
),
bearers as materialized (
  select f.user_id, f.code, min(p.user_id) as bearer_id
  from first_orders f
  join players p on p.refer_code = f.code and p.refer_code <> '' and p.user_id <> f.user_id
  group by f.user_id, f.code
  having count(*) = 1 -- A code that several players share refers nobody.
),
owned as materialized (
  select owner ->> 'referrerId' as referrer_id
  from first_orders f
  join orders o on o.user_id = f.user_id and o.order_id = f.order_id
  cross join lateral json_each(o.facts -> 'codes') as named (code, owner)
  where o.user_id = any ($1::text[]) and owner ->> 'referrerId' is not null
),
wanted as materialized (
  select user_id from players where user_id = any ($1::text[])
  union
  select bearer_id from bearers
  union
  select referrer_id from owned
)
insert into accounts as a (user_id, points, counted, orders, entries, rev)
select user_id, 0, 0, 0, 0, 1
from wanted
order by user_id
on conflict (user_id) do update set rev = a.rev where false -- Locks existing rows without writing new versions of them.
returning user_id

-- name: accounts-write-if-unchanged
-- in:   $1 to $7 the columns of accounts (accounts.ts), each user id at most once, with the next rev; $8 the movements added to each (kept-movements.ts), null: none are kept
-- out:  nothing; writes no account that another request has changed since it was read
-- why:  optimistic concurrency: two writers must not both build on the same revision. The changes are noted in the same statement, as a separate one would cost small requests more. The noted rows are counted: an insert that finds a conflict counts on a cluster the rows that it was given. Movements are added without reading those that are kept; beyond 2 kB a row would be compressed
with written as (
  insert into accounts as a (:columns, movements, movements_rev)
  select :columns, case when length(added) < 1500 then added end, case when length(added) < 1500 then rev end
  from unnest(:lists, $8::text[]) as incoming (:columns, added)
  order by user_id
  on conflict (user_id) do update set :updates, movements_rev = excluded.movements_rev, movements =
    case
      when (a.entries = 0 or a.movements_rev = a.rev and a.movements is not null)
        and coalesce(length(a.movements), 0) + length(excluded.movements) < 1500
      then excluded.movements || case when '' in (excluded.movements, coalesce(a.movements, '')) then '' else ',' end
        || coalesce(a.movements, '')
    end
    where a.rev = excluded.rev - 1
  returning user_id
)
insert into account_changes (user_id) select user_id from written

-- name: order-owners-claim
-- in:   $1 order ids (each at most once, sorted), $2 the players they are recorded for
-- out:  nothing; fails if an id already has an owner
-- why:  an order id belongs to exactly one player
insert into order_owners (:columns)
select :columns
from unnest(:lists) with ordinality as incoming (:columns, place)
order by place -- The same order as with COPY, so that requests never deadlock.

-- name: order-owners-copy
-- in:   as COPY text: order ids, sorted, and the players they are recorded for
-- out:  nothing; fails if an id already has an owner
-- why:  an order id belongs to exactly one player; COPY is faster for many at once
copy order_owners (:columns) from stdin

-- name: orders-write
-- in:   the columns of orders (orders.ts), and the moment of the request
-- out:  nothing
-- why:  a row holds the latest revision of an order; the entries hold what earlier ones gave. The state version may rise without a new revision
insert into orders (:columns, recorded_at, updated_at)
select :columns, :now, :now
from unnest(:lists) as incoming (:columns)
on conflict (user_id, order_id) do update set :updates,
  updated_at = case when orders.rev < excluded.rev then excluded.updated_at else orders.updated_at end

-- name: orders-copy
-- in:   as COPY text: the columns of orders (orders.ts), and the moment of the request twice
-- out:  nothing
-- why:  the fastest way to insert orders whose ids have just been claimed
copy orders (:columns, recorded_at, updated_at) from stdin

-- name: entries-insert
-- in:   the columns of entries (entries.ts), and the moment of the request; the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  the ledger is append-only; tallies are inserted in the same statement, because a separate one would make small requests 10 % slower
with tallied as (
  insert into tallies (:tally_columns)
  select :tally_columns
  from unnest(:tally_lists) as incoming (:tally_columns)
)
insert into entries (:columns, recorded_at)
select :columns, :now
from unnest(:lists) as incoming (:columns)

-- name: entries-copy
-- in:   as COPY text: the columns of entries (entries.ts), and the moment of the request
-- out:  nothing
-- why:  the ledger is append-only; COPY is faster for many entries at once
copy entries (:columns, recorded_at) from stdin
