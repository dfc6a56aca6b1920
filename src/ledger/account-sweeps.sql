-- name: background-work-claim
-- in:   $1 the work, $2 now, $3 a moment
-- out:  a row if no process has claimed it since $3: it is now ours
-- why:  only one of several processes does it; if that one dies, another takes over when the work is next due
insert into background_work as w (work, claimed_at)
values ($1::text, $2::timestamptz)
on conflict (work) do update set claimed_at = excluded.claimed_at where w.claimed_at <= $3::timestamptz
returning work

-- name: account-sweeps-size
-- in:   nothing
-- out:  one row: roughly how many accounts there are, and when all of them were last examined, as RFC 3339
-- why:  decides how many are sampled now; an exact count would scan them all
select greatest(
    coalesce((select players from account_sweeps order by at desc limit 1), 0),
    (select reltuples from pg_class where oid = 'accounts'::regclass)::bigint
  ) as players,
  (
    select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    from account_sweeps
    where sampled >= players
    order by account_sweeps.at desc
    limit 1
  ) as all_at

-- name: account-sweeps-page
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

-- name: account-sweeps-insert
-- in:   $1 to $15 the columns of account_sweeps; $16 a moment
-- out:  nothing
-- why:  keeps one sweep per hour, the latest; only the latest sweep of all keeps its list of largest balances; older than $16 is deleted
with gone as (
  delete from account_sweeps
  where at < $16::timestamptz or at >= date_trunc('hour', $1::timestamptz, 'utc') and at < $1::timestamptz
),
older as (
  update account_sweeps set top = null
  where top is not null and at >= $16::timestamptz and at < date_trunc('hour', $1::timestamptz, 'utc')
)
insert into account_sweeps (
  at, players, balance, debts, sampled, active_30, active_90, levels, of_all, top, day, outstanding, pending, held, expired
)
values (
  $1::timestamptz, $2::bigint, $3::numeric, $4::numeric, $5::bigint, $6::bigint, $7::bigint, $8::json, $9::boolean, $10::json,
  $11::date, $12::numeric, $13::numeric, $14::numeric, $15::numeric
)
on conflict (at) do nothing

-- name: account-sweeps-last
-- in:   nothing
-- out:  the latest sweep, with the points of the latest one that examined all accounts; moments as RFC 3339, sums as text
-- why:  the figures shown are those of that moment
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, players, balance::text as balance, debts::text as debts,
  sampled, active_30, active_90, levels, of_all, top,
  (
    select json_build_object(
      'at', to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'day', day,
      'outstanding', outstanding::text, 'pending', pending::text, 'held', held::text, 'expired', expired::text
    )
    from account_sweeps
    where day is not null
    order by account_sweeps.at desc
    limit 1
  ) as points
from account_sweeps
order by account_sweeps.at desc
limit 1

-- name: account-sweeps-settled
-- in:   nothing
-- out:  the points of the latest sweep that examined all accounts, its moment as RFC 3339; no row if anything was recorded since or shortly before
-- why:  a sweep is not one snapshot: only if nothing changed can its points be derived again. Requests end within 5 minutes
with last as (
  select * from account_sweeps where day is not null order by at desc limit 1
)
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, day::text as day,
  outstanding::text as outstanding, pending::text as pending, held::text as held, expired::text as expired
from last
cross join lateral (select last.at - interval '5 minutes' as settled) as since
where not exists (select from entries where recorded_at > settled)
  and not exists (select from redemptions where updated_at > settled)
  and not exists (select from programs where greatest(published_at, withdrawn_at) > settled)
