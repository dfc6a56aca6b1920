-- in:   $1 from when orders are computed again, $2 until when entries count; $3 and $4 the players after the first up to the second, to the end where it is null
-- out:  nothing; the cursor backtest_movements has a text for what a player's entries of one moment, part and terms come to, by player
-- why:  balances under another program: what orders earned and what was spent from then on has other days there, all else keeps its own
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
