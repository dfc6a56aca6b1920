-- in:   $1 the moment from which orders are recomputed, $2 the exclusive end of the entries; the players in ($3, $4], to the end if $4 is null
-- out:  nothing; the cursor backtest_movements yields a player's entries summed by moment, part and terms, one line each, by player
-- why:  balances under another program: points earned by orders and spent from $1 on get other days there, everything else keeps its own
declare backtest_movements no scroll cursor for
select concat_ws(
  E'\t', user_id,
  case when at < $1::timestamptz then 'kept' when is_earned then 'earned' when is_spent then 'spent' else 'kept' end,
  at, day, usable_on, expires_on, slides, is_spent, points
) as line
from (
  select
    -- include: movement
    , e.user_id, e.at, e.kind in ('order', 'referral') as is_earned
  from entries e
  where e.at < $2::timestamptz and e.user_id > $3::text and ($4::text is null or e.user_id <= $4::text)
  group by 1, 2, 3, 4, 5, e.user_id, e.at, e.kind in ('order', 'referral')
) as m
order by user_id
