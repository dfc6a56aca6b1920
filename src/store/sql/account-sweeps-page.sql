-- in:   $1 the previous page's last id, $2 limit, $3 the points at which levels begin, ($4, $5] the range of points that count ($4 null: all), $6 one in how many is sampled, $7 and $8 moments of activity, $9 how many largest
-- out:  one row: sums over the page's accounts, levels by their position from 1, the largest balances, and the last id (null for an empty page)
-- why:  a page at a time, so that predictions can run in between; sampled by hash, so that it is the same players every time
with page as materialized (
  select user_id, points, counted, hashtextextended(user_id, 0) % $6::bigint = 0 as is_sampled
  from accounts
  where user_id > $1::text
  order by user_id
  limit $2::bigint
),
looked as materialized (
  select user_id,
    case when $4::timestamptz is null then counted else (
      select coalesce(sum(e.points), 0)::bigint
      from entries e
      where e.user_id = page.user_id and e.counts and e.at > $4::timestamptz and e.at <= $5::timestamptz
    ) end as level_points,
    (
      -- "offset 0" restricts this to the player's orders: for a plain maximum the planner may walk all orders by moment until it finds one.
      select max(own.ordered_at)
      from (select o.ordered_at from orders o where is_sampled and o.user_id = page.user_id offset 0) as own
    ) as last_at,
    is_sampled
  from page
  where is_sampled or $4::timestamptz is null
),
levels as (
  select greatest(width_bucket(level_points, $3::bigint[]), 1) as place, count(*) as n from looked group by 1
)
select count(*)::bigint as players,
  coalesce(sum(points) filter (where points > 0), 0)::text as balance,
  coalesce(sum(points) filter (where points < 0), 0)::text as debts,
  count(*) filter (where is_sampled)::bigint as sampled,
  (select count(*) from looked where is_sampled and last_at > $7::timestamptz)::bigint as active_30,
  (select count(*) from looked where is_sampled and last_at > $8::timestamptz)::bigint as active_90,
  (select coalesce(jsonb_object_agg(place::text, n), '{}') from levels) as levels,
  (
    select coalesce(jsonb_agg(jsonb_build_array(user_id, points::text) order by points desc, user_id), '[]')
    from (select user_id, points from page where points > 0 order by points desc, user_id limit $9::bigint) as largest
  ) as top,
  max(user_id) as last
from page
