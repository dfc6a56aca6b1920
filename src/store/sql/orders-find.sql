-- in:   $1 user ids and $2 order ids, in pairs
-- out:  place (from 1) and recorded, the complete order; no row for an order that is not recorded
-- why:  the inputs of orders that came out differently from their prediction; few are looked up
select asked.place,
  -- include: recorded-order
  as recorded
from unnest($1::text[], $2::text[]) with ordinality as asked (user_id, order_id, place)
join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id
