-- in:   $1 the last order id of the page before, $2 and $3 the first and the last id that a prefix allows, $4 how many orders
-- out:  orders, in the order of their ids
-- why:  all orders by id, a page at a time: their owners are in that order, and each order is found by its key
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
