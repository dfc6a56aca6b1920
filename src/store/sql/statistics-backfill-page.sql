-- in:   $1 how many entries at most
-- out:  one row: how many entries have been counted so far, out of about how many, and whether all are done; no row if another process is at it, or nothing is left
-- why:  counts entries recorded before entries had days, in key order; the tallies and the new position are written in one statement
with place as materialized (
  select user_id, seq from statistics_backfill where not done for update skip locked
),
page as materialized (
  select e.*
  from place
  cross join lateral (
    select * from entries where (entries.user_id, entries.seq) > (place.user_id, place.seq) order by user_id, seq limit $1::bigint
  ) as e
),
before as (
  select place.user_id, coalesce(sum(e.points), 0) as points
  from place
  join entries e on e.user_id = place.user_id and e.seq <= place.seq
  group by place.user_id
),
stamped as (
  select page.*, coalesce(before.points, 0) + sum(page.points) over (partition by user_id order by seq) as balance
  from page
  left join before using (user_id)
),
ledger as materialized (
  select user_id, seq, kind, points, revision, explanation, change, false as is_last,
    (at at time zone 'utc')::date as day, (recorded_at at time zone 'utc')::date as booked_day,
    case when points = 0 then 'unknown' end as reason,
    greatest(balance, 0) - greatest(balance - points, 0) as owed, coalesce(program_version, 0) as program
  from stamped
  where day is null
),
-- include: statistics-of-ledger
,
counted as (
  insert into tallies (day, booked, measure, program, key, n, points)
  select day, booked_day, measure, program, key, sum(n), sum(points)
  from lines
  group by 1, 2, 3, 4, 5
),
last as (
  select user_id, seq from page order by user_id desc, seq desc limit 1
),
moved as (
  update statistics_backfill b
  set user_id = coalesce((select user_id from last), b.user_id), seq = coalesce((select seq from last), b.seq),
    counted = b.counted + (select count(*) from page), done = (select count(*) from page) < $1::bigint
  from place
  where not b.done
  returning b.counted, b.done
)
select counted, greatest(counted, (select reltuples from pg_class where oid = 'entries'::regclass)::bigint) as entries, done from moved
