-- in:   $1 and $2 after when points count for the held program and for the candidate, $3 and $4 until when, included; $5 the end of the range of moments; $6 whether all ever earned count for both; $7 and $8 the players after the first up to the second, to the end where it is null
-- out:  nothing; the cursor backtest_players has a text for each account that has entries by then, values between tabs, by player
-- why:  the levels that players hold without any change; sums over entries are made only where accounts do not have them
declare backtest_players no scroll cursor for
select concat_ws(E'\t', a.user_id, coalesce(a.first_order_id, ''), c.held, c.candidate) as line
from accounts a
cross join lateral (
  -- One that a writer has only locked has neither orders nor entries.
  select a.counted as held, a.counted as candidate where $6::boolean and (a.orders > 0 or a.entries > 0)
  union all
  select coalesce(sum(points) filter (where e.counts and at > $1::timestamptz and at <= $3::timestamptz), 0),
    coalesce(sum(points) filter (where e.counts and at > $2::timestamptz and at <= $4::timestamptz), 0)
  from entries e
  where e.user_id = a.user_id and e.at < $5::timestamptz
  having not $6::boolean and count(*) > 0
) as c
where a.user_id > $7::text and ($8::text is null or a.user_id <= $8::text)
order by a.user_id
