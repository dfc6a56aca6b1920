-- in:   the time range [$1, $2); the players in ($3, $4], to the end if $4 is null
-- out:  nothing; the cursor backtest_orders yields one line per order, by player and moment
-- why:  streams each player's orders in chronological order, however many there are
declare backtest_orders no scroll cursor for
select
  -- include: backtest-order
  as line
from orders o
where ordered_at >= $1::timestamptz and ordered_at < $2::timestamptz and user_id > $3::text and ($4::text is null or user_id <= $4::text)
order by user_id, ordered_at, recorded_at, order_id
