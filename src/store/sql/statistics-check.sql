-- in:   $1 how many differences at most, $2 the measures of the ledger
-- out:  one row: how many lines differ, and as jsonb the first of them
-- why:  statistics derived anew from the entries, by days and by months, in one snapshot with the tallies that are not folded yet
with stamped as (
  select *, lead(1) over (partition by user_id, order_id, revision, kind order by seq) is null as is_last,
    sum(points) over (partition by user_id order by seq) as balance
  from entries
),
ledger as materialized (
  select *, greatest(balance, 0) - greatest(balance - points, 0) as owed, coalesce(program_version, 0) as program
  from stamped
  where day is not null
),
firsts as (
  select user_id, seq, day, booked_day, program, points, explanation from ledger where kind = 'order' and revision = 1
),
earned as (
  select user_id, seq, day, booked_day, program, line ->> 'rule' as rule,
    -- To six decimals, half away from 0.
    case when exact like '%/%' then
      sign(split_part(exact, '/', 1)::numeric) * div(
        2000000 * abs(split_part(exact, '/', 1)::numeric) + split_part(exact, '/', 2)::numeric, 2 * split_part(exact, '/', 2)::numeric
      ) * 0.000001
    else round(exact::numeric, 6) end as given
  from firsts
  cross join lateral json_array_elements(explanation -> 'earned') as line
  cross join lateral (select line ->> 'points' as exact) as text
),
rounded as (
  select f.day, f.booked_day, f.program, f.points - coalesce(sum(given), 0) as rest
  from firsts f
  left join earned using (user_id, seq)
  group by f.user_id, f.seq, f.day, f.booked_day, f.program, f.points
),
lines as (
  select day, booked_day, 'issued' as measure, program, kind as key, 1 as n, points::numeric as points from ledger where points > 0
  union all
  select day, booked_day, case kind when 'adjustment' then 'spent' else 'taken-back' end, program, kind, 1, points from ledger where points < 0
  union all
  select day, booked_day, 'orders', program, '', 1, points from firsts
  union all
  select day, booked_day, 'revisions', program, change, 1, 0 from ledger where kind = 'order' and is_last
  union all
  select day, booked_day, 'nothing', program, explanation ->> 'nothing', 1, 0 from firsts where explanation ->> 'nothing' is not null
  union all
  select day, booked_day, case rule when 'referral' then 'referral' else 'rule' end, program,
    case rule when 'referral' then '' else rule end, 1, given from earned
  union all
  select day, booked_day, 'rounding', program, '', 1, rest from rounded where rest <> 0
  union all
  select day, booked_day, 'later', program, '', 1, points from ledger where kind = 'order' and revision > 1 and points <> 0
  union all
  select day, booked_day, 'level', program, (explanation -> 'level' ->> 'before') || E'\t' || (explanation -> 'level' ->> 'after'), 1, 0
  from firsts where explanation -> 'level' ->> 'before' <> explanation -> 'level' ->> 'after'
  union all
  select booked_day, booked_day, 'balance', 0, '', 0, owed from ledger where owed <> 0
  union all
  select booked_day, booked_day, 'debts', 0, '', 0, points - owed from ledger where points <> owed
),
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
