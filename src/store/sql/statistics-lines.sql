-- in:   $1 as jsonb a list of questions: days in [`from`, `months`), months in [`months`, `rest`), days in [`rest`, `to`]; $2 limit
-- out:  a row for each place, period (its first day), measure, program and key, in no order; n and points as text
-- why:  includes tallies not folded yet, all as of one moment; whole months of a long range are read as months; sorting them here would take the embedded database as long as all the rest
select asked.place, lines.period::text as day, measure, program, key, lines.n::text as n, trim_scale(lines.points)::text as points
from jsonb_to_recordset($1::jsonb) as asked (
  place int, basis text, per text, "from" date, months date, rest date, "to" date, measures text[]
)
cross join lateral (
  select case asked.per when 'day' then day when 'month' then date_trunc('month', day)::date else asked."from" end as period,
    measure, program, key, sum(n) as n, sum(points) as points
  from (
    select day, measure, program, key, n, points
    from statistics_days
    where basis = asked.basis and day >= asked."from" and day < asked.months and measure = any (asked.measures)
    union all
    select month, measure, program, key, n, points
    from statistics_months
    where basis = asked.basis and month >= asked.months and month < asked.rest and measure = any (asked.measures)
    union all
    select day, measure, program, key, n, points
    from statistics_days
    where basis = asked.basis and day >= asked.rest and day <= asked."to" and measure = any (asked.measures)
    union all
    select case asked.basis when 'ordered' then day else booked end, measure, program, key, n, points
    from tallies
    where case asked.basis when 'ordered' then day else booked end between asked."from" and asked."to"
      and measure = any (asked.measures)
  ) as counted
  group by 1, 2, 3, 4
) as lines
limit $2::bigint
