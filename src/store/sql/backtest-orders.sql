-- in:   $1 and $2 the range of moments, the second not in it; $3 and $4 the players after the first up to the second, to the end where it is null
-- out:  nothing; the cursor backtest_orders has a text for each order, by player and moment
-- why:  a player's orders after one another in the order of their moments, however many there are
declare backtest_orders no scroll cursor for
select
  -- include: backtest-order
  as line
from orders o
where ordered_at >= $1::timestamptz and ordered_at < $2::timestamptz and user_id > $3::text and ($4::text is null or user_id <= $4::text)
order by user_id, ordered_at, recorded_at, order_id
