-- in:   $1 a moment
-- out:  the latest recorded order at or after that moment; no row if there is none
-- why:  the program that recorded orders were computed under must not change
select order_id, to_char(ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at
from orders
where ordered_at >= $1::timestamptz
order by orders.ordered_at desc, order_id
limit 1
