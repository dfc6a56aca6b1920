-- fragment: statistics-of-ledger
-- in:   ledger: entries with days, whether each is the last of its revision (is_last), and its change to the sum of positive balances (owed)
-- out:  lines: what each entry adds to the statistics
-- why:  shared by verification, which derives them from all entries, and by the backfill, which does so a page at a time
firsts as (
  select user_id, seq, day, booked_day, program, points, explanation, coalesce(explanation ->> 'nothing', reason) as nothing
  from ledger
  where kind = 'order' and revision = 1
),
earned as (
  select user_id, seq, day, booked_day, program, line ->> 'rule' as rule,
    -- Rounded to six decimals, half away from zero.
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
  select day, booked_day, 'issued' as measure, program, kind as key, 1 as n, points::numeric as points
  from ledger
  where points > 0 and kind <> 'redemption'
  union all
  select day, booked_day, case when kind in ('adjustment', 'redemption') then 'spent' else 'taken-back' end, program, kind, 1, points
  from ledger
  where points < 0 or points > 0 and kind = 'redemption'
  union all
  select day, booked_day, 'orders', program, '', 1, points from firsts
  union all
  select day, booked_day, 'revisions', program, change, 1, 0 from ledger where kind = 'order' and is_last and change is not null
  union all
  select day, booked_day, 'nothing', program, nothing, 1, 0 from firsts where nothing is not null
  union all
  select day, booked_day, case rule when 'referral' then 'referral' else 'rule' end, program,
    case rule when 'referral' then '' else rule end, 1, given from earned
  union all
  select day, booked_day, 'rounding', program, '', 1, rest from rounded where rest <> 0
  union all
  select day, booked_day, 'later', program, '', 1, points from ledger where kind = 'order' and revision > 1 and points <> 0
  union all
  select day, booked_day, 'attribute', program, explanation ->> 'statistics_by', case revision when 1 then 1 else 0 end, points
  from ledger
  where kind = 'order' and (revision = 1 or points <> 0) and explanation ->> 'statistics_by' is not null
  union all
  select day, booked_day, 'level', program, (explanation -> 'level' ->> 'before') || E'\t' || (explanation -> 'level' ->> 'after'), 1, 0
  from firsts where explanation -> 'level' ->> 'before' <> explanation -> 'level' ->> 'after'
  union all
  select booked_day, booked_day, 'balance', 0, '', 0, owed from ledger where owed <> 0
  union all
  select booked_day, booked_day, 'debts', 0, '', 0, points - owed from ledger where points <> owed
)

-- name: tallies-insert
-- in:   the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  append-only, without an index and without rows shared between writers, so that statistics cost a request next to nothing
insert into tallies (:columns)
select :columns
from unnest(:lists) as incoming (:columns)

-- name: tallies-copy
-- in:   as COPY text: the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  orders from many days produce many tallies
copy tallies (:columns) from stdin

-- name: tallies-fold
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

-- name: statistics-lines
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

-- name: statistics-backfill-page
-- in:   $1 how many entries at most
-- out:  one row: how many entries have been counted so far, out of about how many, and whether all are done; no row if another process is at it, or nothing is left
-- why:  counts entries recorded before entries had days, in key order; the tallies and the new position are written in one statement
with place as materialized (
  select user_id, seq from statistics_backfill where not done for update skip locked
),
page as materialized (
  select *
  from entries
  where (user_id, seq) > ((select user_id from place), (select seq from place))
  order by user_id, seq
  limit $1::bigint
),
before as materialized (
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

-- name: statistics-derive
-- in:   nothing
-- out:  nothing
-- why:  entries that were imported were not counted when they were recorded; those without days are left to the backfill
with stamped as (
  select *, lead(1) over (partition by user_id, order_id, revision, kind order by seq) is null as is_last,
    sum(points) over (partition by user_id order by seq) as balance
  from entries
),
ledger as materialized (
  select user_id, seq, kind, points, revision, explanation, change, is_last, day, booked_day, null::text as reason,
    greatest(balance, 0) - greatest(balance - points, 0) as owed, coalesce(program_version, 0) as program
  from stamped
  where day is not null
),
-- include: statistics-of-ledger
,
uncounted as (
  insert into statistics_backfill select '', 0, 0, false where exists (select 1 from entries where day is null)
)
insert into tallies (day, booked, measure, program, key, n, points)
select day, booked_day, measure, program, key, sum(n), sum(points)
from lines
group by 1, 2, 3, 4, 5

-- name: statistics-backfill-find
-- in:   nothing
-- out:  how many older entries have been counted, out of about how many; no row once all have
-- why:  readers of the figures should know that they are still incomplete
select counted, greatest(counted, (select reltuples from pg_class where oid = 'entries'::regclass)::bigint) as entries
from statistics_backfill
where not done

-- name: statistics-check
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
  where day is not null or exists (select 1 from statistics_backfill b where b.done or (stamped.user_id, stamped.seq) <= (b.user_id, b.seq))
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
  from (
    select basis, day, measure, program, key, n, points from statistics_days
    union all
    select basis, day, measure, program, key, n, points from waiting
  ) as everything
  where measure = any ($2::text[])
  group by 1, 2, 3, 4, 5
),
compared as (
  select 'day' as span, coalesce(s.basis, d.basis) as basis, coalesce(s.day, d.day) as day, coalesce(s.measure, d.measure) as measure,
    coalesce(s.program, d.program) as program, coalesce(s.key, d.key) as key, s.n, s.points, d.n as n_derived, d.points as points_derived
  from stored s
  full join derived d
    on d.basis = s.basis and d.day = s.day and d.measure = s.measure and d.program = s.program and d.key = s.key
  union all
  select 'month', coalesce(m.basis, d.basis), coalesce(m.month, d.month), coalesce(m.measure, d.measure),
    coalesce(m.program, d.program), coalesce(m.key, d.key), m.n, m.points, d.n, d.points
  from statistics_months m
  full join (
    select basis, date_trunc('month', day)::date as month, measure, program, key, sum(n) as n, sum(points) as points
    from statistics_days
    group by 1, 2, 3, 4, 5
  ) as d on d.basis = m.basis and d.month = m.month and d.measure = m.measure and d.program = m.program and d.key = m.key
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
