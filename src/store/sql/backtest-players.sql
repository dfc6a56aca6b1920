-- in:   points count in ($1, $3] for the program in effect and in ($2, $4] for the candidate; $5 the exclusive end of the time range; $6 whether all points ever earned count for both; the players in ($7, $8], to the end if $8 is null
-- out:  nothing; the cursor backtest_players yields one tab-separated line per account that has entries by then, by player
-- why:  the players' levels before anything is recomputed; entries are summed only if the accounts' own sums do not apply
declare backtest_players no scroll cursor for
select concat_ws(E'\t', a.user_id, coalesce(a.first_order_id, ''), c.in_effect, c.candidate) as line
from accounts a
cross join lateral (
  -- An account that a writer has merely locked has neither orders nor entries.
  select a.counted as in_effect, a.counted as candidate where $6::boolean and (a.orders > 0 or a.entries > 0)
  union all
  select coalesce(sum(points) filter (where e.counts and at > $1::timestamptz and at <= $3::timestamptz), 0),
    coalesce(sum(points) filter (where e.counts and at > $2::timestamptz and at <= $4::timestamptz), 0)
  from entries e
  where e.user_id = a.user_id and e.at < $5::timestamptz
  having not $6::boolean and count(*) > 0
) as c
where a.user_id > $7::text and ($8::text is null or a.user_id <= $8::text)
order by a.user_id
