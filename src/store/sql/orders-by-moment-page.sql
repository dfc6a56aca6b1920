-- in:   $1 and $2 the moment and id of the previous page's last order, $3 limit, $4 and $5 two moments
-- out:  orders with moments in [$4, $5), newest first
-- why:  a page of the orders of some days: the index by moment is read backwards from where the previous page ended
with page as materialized (
  select user_id, order_id
  from orders
  where ordered_at >= $4::timestamptz and ordered_at < $5::timestamptz and (ordered_at, order_id) < ($1::timestamptz, $2::text)
  order by ordered_at desc, order_id desc
  limit $3::bigint
)
select
  -- include: stored-order
from page
join orders o on o.user_id = page.user_id and o.order_id = page.order_id
order by o.ordered_at desc, o.order_id desc
