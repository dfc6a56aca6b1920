-- in:   $1 the last user id of the page before, $2 how many players
-- out:  one row: how many players and entries, the last player's id (null: none left), and as jsonb what differs
-- why:  accounts, and what entries give each order, derived anew from the entries of a page of players, in one snapshot
with page as (
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
sums as (
  select user_id, sum(points) as points, coalesce(sum(points) filter (where counts), 0) as counted, count(*) as entries,
    max(seq) as last
  from entries
  where user_id in (select user_id from page)
  group by user_id
),
placed as (
  select user_id, count(*) as orders from orders where user_id in (select user_id from page) group by user_id
),
accounts_differ as (
  select p.user_id,
    jsonb_build_object(
      'what', 'account', 'user_id', p.user_id,
      'stored', jsonb_build_object(
        'points', a.points::text, 'counted', a.counted::text, 'entries', a.entries::text, 'orders', a.orders::text
      ),
      'derived', jsonb_build_object(
        'points', coalesce(s.points, 0)::text, 'counted', coalesce(s.counted, 0)::text,
        'entries', coalesce(s.entries, 0)::text, 'orders', coalesce(o.orders, 0)::text
      )
    ) as difference
  from page p
  left join accounts a on a.user_id = p.user_id
  left join sums s on s.user_id = p.user_id
  left join placed o on o.user_id = p.user_id
  where (a.points, a.counted, a.entries, a.orders)
    is distinct from (coalesce(s.points, 0), coalesce(s.counted, 0), coalesce(s.entries, 0), coalesce(o.orders, 0))
    or coalesce(s.last, 0) <> coalesce(s.entries, 0)
),
given as (
  select user_id, kind, order_id, sum(points) as points
  from entries
  where user_id in (select user_id from page) and order_id is not null
  group by user_id, kind, order_id
),
given_differ as (
  select g.user_id,
    jsonb_build_object(
      'what', g.kind, 'user_id', g.user_id, 'order_id', g.order_id,
      'stored', jsonb_build_object('points', expected.points::text),
      'derived', jsonb_build_object('points', g.points::text)
    ) as difference
  from given g
  left join order_owners w on w.order_id = g.order_id
  left join orders o on o.user_id = w.user_id and o.order_id = g.order_id
  cross join lateral (
    select case
      when g.kind = 'order' and o.user_id = g.user_id then o.points
      when g.kind = 'referral' and o.referrer_id = g.user_id then o.referrer_points
      else 0
    end as points
  ) as expected
  where g.points <> expected.points
),
differences as (
  select user_id, difference from accounts_differ
  union all
  select user_id, difference from given_differ
)
select (select count(*) from page)::int as players,
  (select coalesce(sum(entries), 0) from sums)::text as entries,
  (select max(user_id) from page) as last,
  (select coalesce(jsonb_agg(difference order by user_id), '[]') from differences) as differences
