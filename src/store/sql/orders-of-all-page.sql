-- in:   $1 the previous page's last order id, $2 and $3 the lowest and highest id with a prefix, $4 limit
-- out:  orders, by id
-- why:  a page of all orders: order_owners is keyed by order id, and each order is then found by its own key
with page as materialized (
  select order_id, user_id
  from order_owners
  where order_id > $1::text and order_id >= $2::text and order_id <= $3::text
  order by order_id
  limit $4::bigint
)
select
  -- include: stored-order
from page
join orders o on o.user_id = page.user_id and o.order_id = page.order_id
order by o.order_id
