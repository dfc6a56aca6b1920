-- in:   $1 and $2 the span of moments, the second not in it
-- out:  how many orders lie in it
-- why:  how far a backtest has come is told
select count(*)::int as orders from orders where ordered_at >= $1::timestamptz and ordered_at < $2::timestamptz
