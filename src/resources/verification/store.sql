-- name: ledger-check-accounts
-- in:   $1 the previous page's last user id, $2 how many players
-- out:  one row: the numbers of players and entries, the last player's id (null: none left), and the differences as jsonb
-- why:  derives accounts, and each order's points, again from the entries of a page of players, in one snapshot
with page as materialized (
  select user_id from (
    (select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint)
    union
    (select distinct user_id from entries where user_id > $1::text order by user_id limit $2::bigint)
    union
    (select distinct user_id from orders where user_id > $1::text order by user_id limit $2::bigint)
  ) as everybody
  order by user_id
  limit $2::bigint
),
sums as materialized (
  select user_id, sum(points) as points, coalesce(sum(points) filter (where counts), 0) as counted, count(*) as entries,
    min(seq) as first, max(seq) as last
  from entries
  where user_id in (select user_id from page)
  group by user_id
),
placed as materialized (
  select user_id, count(*) as orders from orders where user_id in (select user_id from page) group by user_id
),
kept as materialized (
  select user_id, points, counted, entries, orders, first_order_id from accounts where user_id in (select user_id from page)
),
firsts as materialized (
  select user_id, order_id
  from orders
  where user_id in (select user_id from page) and order_id in (select first_order_id from kept)
),
accounts_differ as (
  select p.user_id,
    jsonb_build_object(
      'what', 'account', 'user_id', p.user_id,
      'stored', jsonb_build_object(
        'points', a.points::text, 'counted', a.counted::text, 'entries', a.entries::text, 'orders', a.orders::text,
        'first order', a.first_order_id
      ),
      'derived', jsonb_build_object(
        'points', coalesce(s.points, 0)::text, 'counted', coalesce(s.counted, 0)::text,
        'entries', coalesce(s.entries, 0)::text, 'orders', coalesce(o.orders, 0)::text, 'first order', f.order_id
      )
    ) as difference
  from page p
  left join kept a on a.user_id = p.user_id
  left join sums s on s.user_id = p.user_id
  left join placed o on o.user_id = p.user_id
  left join firsts f on f.user_id = p.user_id and f.order_id = a.first_order_id
  where (a.points, a.counted, a.entries, a.orders)
    is distinct from (coalesce(s.points, 0), coalesce(s.counted, 0), coalesce(s.entries, 0), coalesce(o.orders, 0))
    or a.first_order_id is distinct from f.order_id
    or coalesce(s.first, 1) <> 1
    or coalesce(s.last, 0) <> coalesce(s.entries, 0)
),
given as materialized (
  select user_id, kind, order_id, at, sum(points) as points, max(revision) as revision
  from entries
  where user_id in (select user_id from page) and order_id is not null and kind <> 'reinstated'
  group by user_id, kind, order_id, at
),
owed as materialized (
  select user_id, 'order' as kind, order_id, ordered_at as at, points, rev
  from orders
  where user_id in (select user_id from page)
  union all
  select referrer_id, 'referral', order_id, ordered_at, referrer_points, rev
  from orders
  where referrer_id in (select user_id from page)
  union all
  select user_id, 'redemption', order_id, ordered_at, -(state ->> 'points_redeemed')::bigint, rev
  from orders
  where user_id in (select user_id from page) and state ->> 'points_redeemed' is not null and state ->> 'status' = 'placed'
),
orders_differ as (
  select one.user_id,
    jsonb_build_object(
      'what', one.kind, 'user_id', one.user_id, 'order_id', one.order_id,
      'at', to_char(one.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'stored', jsonb_build_object('points', one.owed::text, 'revision', one.rev::text),
      'derived', jsonb_build_object('points', one.given::text, 'revision', one.revision::text)
    ) as difference
  from (
    select coalesce(given.user_id, owed.user_id) as user_id, coalesce(given.kind, owed.kind) as kind,
      coalesce(given.order_id, owed.order_id) as order_id, coalesce(given.at, owed.at) as at,
      given.points as given, given.revision, owed.points as owed, owed.rev
    from given
    full join owed
      on owed.user_id = given.user_id and owed.kind = given.kind and owed.order_id = given.order_id and owed.at = given.at
  ) as one
  -- If an order has moved to another moment or referrer, the old one keeps entries that sum to 0. An order of 0 points has an entry at its
  -- first moment, but none at a moment that it was moved to.
  where coalesce(one.given, 0) <> coalesce(one.owed, 0)
    or (one.kind = 'order' and (one.user_id, one.order_id) not in (select user_id, order_id from given))
    or one.revision > one.rev
),
spent as materialized (
  select user_id, redemption_id, sum(points) as points
  from entries
  where user_id in (select user_id from page) and kind = 'redemption' and order_id is null
  group by user_id, redemption_id
),
redeemed as materialized (
  select user_id, redemption_id, case when state = 'confirmed' then -points else 0 end as points
  from redemptions
  where user_id in (select user_id from page)
),
redemptions_differ as (
  select one.user_id,
    jsonb_build_object(
      'what', 'redemption', 'user_id', one.user_id, 'redemption_id', one.redemption_id,
      'stored', jsonb_build_object('points', one.redeemed::text), 'derived', jsonb_build_object('points', one.spent::text)
    ) as difference
  from (
    select coalesce(spent.user_id, redeemed.user_id) as user_id, coalesce(spent.redemption_id, redeemed.redemption_id) as redemption_id,
      spent.points as spent, redeemed.points as redeemed
    from spent
    full join redeemed on redeemed.user_id = spent.user_id and redeemed.redemption_id = spent.redemption_id
  ) as one
  where coalesce(one.spent, 0) <> one.redeemed or one.redeemed is null
),
differences as (
  select user_id, difference from accounts_differ
  union all
  select user_id, difference from redemptions_differ
  union all
  select user_id, difference from orders_differ
)
-- An account that a writer has merely locked has neither orders nor entries.
select (select count(*) from (select user_id from sums union select user_id from placed) as active)::int as players,
  (select coalesce(sum(entries), 0) from sums)::text as entries,
  (select max(user_id) from page) as last,
  (select coalesce(jsonb_agg(difference order by user_id), '[]') from differences) as differences

-- name: ledger-check-orders
-- in:   $1 and $2 the previous page's last player and order, $3 how many orders
-- out:  a row per order: the complete recorded order, its owner, its player's first order, and the terms of its points as lists
-- why:  each order is recomputed by its program and compared with what is stored
with page as materialized (
  select *
  from orders
  where (user_id, order_id) > ($1::text, $2::text)
  order by user_id, order_id
  limit $3::bigint
),
owners as materialized (
  select order_id, user_id from order_owners where order_id in (select order_id from page)
),
accounts_of as materialized (
  select user_id, first_order_id from accounts where user_id in (select user_id from page)
),
given as materialized (
  select user_id, order_id, json_agg(json_build_array(usable_on, expires_on, slides)) as terms
  from (
    select user_id, order_id, usable_on, expires_on, slides
    from entries
    where user_id in (select user_id from page) and kind in ('order', 'referral') and order_id in (select order_id from page)
    group by user_id, order_id, usable_on, expires_on, slides
    having sum(points) <> 0
  ) as summed
  group by user_id, order_id
)
select o.user_id, o.order_id, w.user_id as owner_id, a.first_order_id,
  -- include: ../../ledger/recorded-order.fragment.sql
  as recorded,
  coalesce(g.terms, '[]') as terms
from page o
left join owners w on w.order_id = o.order_id
left join accounts_of a on a.user_id = o.user_id
left join given g on g.user_id = o.user_id and g.order_id = o.order_id
order by o.user_id, o.order_id

-- name: ledger-check-owners
-- in:   $1 how many at most
-- out:  order ids that have an owner but no order
-- why:  such an id could never be used again
select w.order_id
from order_owners w
left join orders o on o.user_id = w.user_id and o.order_id = w.order_id
where o.order_id is null
order by w.order_id
limit $1::bigint

-- on a cluster: ledger-check-owners
-- why:  owners lie elsewhere than orders; an id that belongs to another player than its order is found by ledger-check-orders
select order_id from order_owners
except
select order_id from orders
order by order_id
limit $1::bigint
