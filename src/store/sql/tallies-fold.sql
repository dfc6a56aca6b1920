-- in:   $1 how many tallies at most
-- out:  one row: how many were folded
-- why:  an advisory lock lets one process fold at a time (the number is arbitrary, but used nowhere else); the others fold nothing
with mine as materialized (
  select pg_try_advisory_xact_lock(7281403) as is_mine
),
gone as (
  delete from tallies
  where ctid = any (array (select t.ctid from tallies t where (select is_mine from mine) limit $1::bigint))
  returning *
),
lines as materialized (
  select basis, case basis when 'ordered' then day else booked end as day, measure, program, key, sum(n) as n, sum(points) as points
  from gone
  cross join (values ('ordered'), ('booked')) as b (basis)
  group by 1, 2, 3, 4, 5
),
days as (
  insert into statistics_days as s (basis, day, measure, program, key, n, points)
  select * from lines order by basis, measure, day, program, key
  on conflict (basis, measure, day, program, key) do update set n = s.n + excluded.n, points = s.points + excluded.points
),
months as (
  insert into statistics_months as s (basis, month, measure, program, key, n, points)
  select basis, date_trunc('month', day)::date, measure, program, key, sum(n), sum(points)
  from lines
  group by 1, 2, 3, 4, 5
  order by 1, 3, 2, 4, 5
  on conflict (basis, measure, month, program, key) do update set n = s.n + excluded.n, points = s.points + excluded.points
)
select count(*)::int as folded from gone
