-- in:   $1 the basis; $2 and $3 the first and the last day; $4 measures
-- out:  a row for each day, measure, program and key, in this order; n and points as texts
-- why:  what is folded and what is not yet, as of one moment
select day::text as day, measure, program, key, sum(n)::text as n, trim_scale(sum(points))::text as points
from (
  select day, measure, program, key, n, points
  from statistics_days
  where basis = $1::text and day between $2::date and $3::date and measure = any ($4::text[])
  union all
  select case $1::text when 'ordered' then day else booked end, measure, program, key, n, points
  from tallies
  where case $1::text when 'ordered' then day else booked end between $2::date and $3::date and measure = any ($4::text[])
) as lines
group by lines.day, measure, program, key
order by lines.day, measure, program, key
