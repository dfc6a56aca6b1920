-- in:   $1 and $2 the time range [$1, $2)
-- out:  the number of orders in it
-- why:  the total for a backtest's progress
select count(*)::int as orders from orders where ordered_at >= $1::timestamptz and ordered_at < $2::timestamptz
