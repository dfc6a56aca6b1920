-- in:   $1 how many differences at most, $2 the measures of the ledger
-- out:  one row: how many lines differ, and the first of them as jsonb
-- why:  derives the statistics again from the entries, by day and by month, in one snapshot that includes tallies not folded yet
with stamped as (
  select *, lead(1) over (partition by user_id, order_id, revision, kind order by seq) is null as is_last,
    sum(points) over (partition by user_id order by seq) as balance
  from entries
),
ledger as materialized (
  select user_id, seq, kind, points, revision, explanation, change, is_last,
    coalesce(day, (at at time zone 'utc')::date) as day, coalesce(booked_day, (recorded_at at time zone 'utc')::date) as booked_day,
    -- Entries recorded before entries had days have no reason.
    case when day is null and points = 0 then 'unknown' end as reason,
    greatest(balance, 0) - greatest(balance - points, 0) as owed, coalesce(program_version, 0) as program
  from stamped
  -- Entries without a day are included as far as the backfill has come.
  where day is not null or exists (select from statistics_backfill b where b.done or (stamped.user_id, stamped.seq) <= (b.user_id, b.seq))
),
-- include: statistics-of-ledger
,
derived as (
  select basis, case basis when 'ordered' then day else booked_day end as day, measure collate "C" as measure, program,
    key collate "C" as key, sum(n) as n, sum(points) as points
  from lines
  cross join (values ('ordered' collate "C"), ('booked')) as b (basis)
  group by 1, 2, 3, 4, 5
),
waiting as materialized (
  select basis, case basis when 'ordered' then day else booked end as day, measure, program, key, n, points
  from tallies
  cross join (values ('ordered' collate "C"), ('booked')) as b (basis)
),
stored as (
  select basis, day, measure, program, key, sum(n) as n, sum(points) as points
  from (select * from statistics_days union all select * from waiting) as everything
  where measure = any ($2::text[])
  group by 1, 2, 3, 4, 5
),
compared as (
  select 'day' as span, basis, day, measure, program, key, s.n, s.points, d.n as n_derived, d.points as points_derived
  from stored s
  full join derived d using (basis, day, measure, program, key)
  union all
  select 'month', basis, month, measure, program, key, m.n, m.points, d.n, d.points
  from statistics_months m
  full join (
    select basis, date_trunc('month', day)::date as month, measure, program, key, sum(n) as n, sum(points) as points
    from statistics_days
    group by 1, 2, 3, 4, 5
  ) as d using (basis, month, measure, program, key)
),
differing as (
  select concat_ws(' ', span, day, basis, measure, nullif(program, 0), nullif(key, '')) as line,
    n || ' times, ' || trim_scale(points) || ' points' as stored,
    n_derived || ' times, ' || trim_scale(points_derived) || ' points' as derived
  from compared
  where (coalesce(n, 0), coalesce(points, 0)) is distinct from (coalesce(n_derived, 0), coalesce(points_derived, 0))
)
select (select count(*) from differing)::int as differing,
  (select coalesce(jsonb_agg(first), '[]') from (select * from differing order by line limit $1::bigint) as first) as differences
