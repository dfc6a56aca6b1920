-- in:   $1 the last order id of the page before, $2 and $3 the first and the last id that a prefix allows, $4 how many orders, $5 a user id
-- out:  orders that have that player as :whose, in the order of their ids
-- why:  one player's orders, or those that they get points for, by key, a page at a time
select
  -- include: stored-order
from orders o
where o.:whose = $5::text and o.order_id > $1::text and o.order_id >= $2::text and o.order_id <= $3::text
order by o.order_id
limit $4::bigint
