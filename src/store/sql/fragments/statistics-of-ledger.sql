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
  select day, booked_day, 'level', program, (explanation -> 'level' ->> 'before') || E'\t' || (explanation -> 'level' ->> 'after'), 1, 0
  from firsts where explanation -> 'level' ->> 'before' <> explanation -> 'level' ->> 'after'
  union all
  select booked_day, booked_day, 'balance', 0, '', 0, owed from ledger where owed <> 0
  union all
  select booked_day, booked_day, 'debts', 0, '', 0, points - owed from ledger where points <> owed
)
