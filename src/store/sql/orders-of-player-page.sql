-- in:   $1 the previous page's last order id, $2 and $3 the lowest and highest id with a prefix, $4 limit, $5 a user id
-- out:  orders with that player in the column :whose, by id
-- why:  a page of the orders that a player placed, or gets referral points for
select
  -- include: stored-order
from orders o
where o.:whose = $5::text and o.order_id > $1::text and o.order_id >= $2::text and o.order_id <= $3::text
order by o.order_id
limit $4::bigint
