-- in:   $1 and $2 the last player and order of the page before, $3 how many orders, $4 and $5 two moments
-- out:  user_id, order_id, recorded_at (the first time), in_range (that lies in [$4, $5)), points (what the order gives now)
-- why:  all orders by key, a page at a time: no page costs more than the first
select user_id, order_id, to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  recorded_at >= $4::timestamptz and recorded_at < $5::timestamptz as in_range, points::text as points
from orders
where (user_id, order_id) > ($1::text, $2::text)
order by user_id, order_id
limit $3::bigint
