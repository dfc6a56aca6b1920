-- in:   $1 an order id
-- out:  the order with its lines; no row if it was never recorded
-- why:  one order, for display; orders are keyed by player, so its owner is looked up first
select
  -- include: stored-order
  , (o.state ->> 'points_redeemed')::bigint as points_redeemed, (o.state -> 'lines')::jsonb as lines
from order_owners w
join orders o on o.user_id = w.user_id and o.order_id = w.order_id
where w.order_id = $1::text
