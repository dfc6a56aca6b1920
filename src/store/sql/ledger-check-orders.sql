-- in:   $1 and $2 the last player and order of the page before, $3 how many orders
-- out:  a row for each order: recorded, all of it, its owner, and its player's first order
-- why:  each is computed anew by its program, beside what is stored of it
select o.user_id, o.order_id, w.user_id as owner_id, a.first_order_id,
  -- include: recorded-order
  as recorded
from (
  select *
  from orders
  where (user_id, order_id) > ($1::text, $2::text)
  order by user_id, order_id
  limit $3::bigint
) as o
left join order_owners w on w.order_id = o.order_id
left join accounts a on a.user_id = o.user_id
order by o.user_id, o.order_id
