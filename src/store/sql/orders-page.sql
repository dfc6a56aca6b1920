-- in:   $1 and $2 the previous page's last player and order, $3 limit, $4 and $5 two moments
-- out:  user_id, order_id, recorded_at (of the first recording), in_range (whether that is in [$4, $5)), points (what the order gives now)
-- why:  a page of all orders, by key: no page costs more than the first
select user_id, order_id, to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  recorded_at >= $4::timestamptz and recorded_at < $5::timestamptz as in_range, points::text as points
from orders
where (user_id, order_id) > ($1::text, $2::text)
order by user_id, order_id
limit $3::bigint
