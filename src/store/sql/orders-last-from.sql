-- in:   $1 a moment
-- out:  of the recorded orders at or after that moment the one that lies latest; nothing where there is none
-- why:  what recorded orders were computed by may not change under them
select order_id, to_char(ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at
from orders
where ordered_at >= $1::timestamptz
order by orders.ordered_at desc, order_id
limit 1
