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
-- in:   $1 the previous page's last id, $2 limit, $3 the points at which levels begin, ($4, $5] the range of points that count ($4 null: all), $6 one in how many is sampled, $7 how many largest
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
    ) end as level_points
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
  (select coalesce(jsonb_object_agg(place::text, n), '{}') from levels) as levels,
  (
    select coalesce(jsonb_agg(jsonb_build_array(user_id, points::text) order by points desc, user_id), '[]')
    from (select user_id, points from page where points > 0 order by points desc, user_id limit $7::bigint) as largest
  ) as top,
  max(user_id) as last
from page

-- on a cluster: account-sweeps-page
-- why:  no correlated subquery over the rows of a page
with page as materialized (
  select user_id, points, counted, hashtextextended(user_id, 0) % $6::bigint = 0 as is_sampled
  from accounts
  where user_id > $1::text
  order by user_id
  limit $2::bigint
),
counting as materialized (
  select user_id, sum(points)::bigint as points
  from entries e
  where user_id in (select user_id from page where is_sampled) and counts and at > $4::timestamptz and at <= $5::timestamptz
  group by user_id
),
looked as materialized (
  select page.user_id, case when $4::timestamptz is null then counted else coalesce(counting.points, 0) end as level_points
  from page
  left join counting on counting.user_id = page.user_id
  where is_sampled or $4::timestamptz is null
),
levels as (
  select greatest(width_bucket(level_points, $3::bigint[]), 1) as place, count(*) as n from looked group by 1
)
select count(*)::bigint as players,
  coalesce(sum(points) filter (where points > 0), 0)::text as balance,
  coalesce(sum(points) filter (where points < 0), 0)::text as debts,
  count(*) filter (where is_sampled)::bigint as sampled,
  (select coalesce(jsonb_object_agg(place::text, n), '{}') from levels) as levels,
  (
    select coalesce(jsonb_agg(jsonb_build_array(user_id, points::text) order by points desc, user_id), '[]')
    from (select user_id, points from page where points > 0 order by points desc, user_id limit $7::bigint) as largest
  ) as top,
  max(user_id) as last
from page

-- name: account-sweeps-lock
-- in:   nothing
-- out:  nothing; no player is erased until the transaction ends
-- why:  the next statement finds every player who was erased since the accounts were read. Both locks: see account-totals-lock
select pg_advisory_xact_lock_shared(7281404)::text as locked
from (select from account_totals for share) as totals

-- name: account-sweeps-present
-- in:   $1 user ids
-- out:  user_id of those who have an account
-- why:  an erasure may have replaced ids meanwhile
select user_id from accounts where user_id = any ($1::text[])

-- name: account-sweeps-insert
-- in:   $1 to $8 the columns of account_sweeps; $9 a moment
-- out:  nothing
-- why:  keeps one sweep per hour, the latest; only the latest sweep of all keeps its list of largest balances; older than $9 is deleted. Activity and points are in account_totals since 0030
with gone as (
  delete from account_sweeps
  where at < $9::timestamptz or at >= date_trunc('hour', $1::timestamptz, 'utc') and at < $1::timestamptz
),
older as (
  update account_sweeps set top = null
  where top is not null and at >= $9::timestamptz and at < date_trunc('hour', $1::timestamptz, 'utc')
)
insert into account_sweeps (
  at, players, balance, debts, sampled, active_30, active_90, levels, of_all, top
)
values ($1::timestamptz, $2::bigint, $3::numeric, $4::numeric, $5::bigint, 0, 0, $6::json, $7::boolean, $8::json)
on conflict (at) do nothing

-- name: account-sweeps-last
-- in:   nothing
-- out:  the latest sweep, its moment as RFC 3339, sums as text
-- why:  the figures shown are those of that moment
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, players, balance::text as balance, debts::text as debts,
  sampled, levels, of_all, top
from account_sweeps
order by account_sweeps.at desc
limit 1
