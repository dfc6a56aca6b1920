-- in:   $1 user ids and $2 order ids, in pairs
-- out:  place (from 1) and recorded, all of the order; no row where none is recorded
-- why:  what an order was computed from, where it came to something else than predicted: few are asked for
select asked.place,
  -- include: recorded-order
  as recorded
from unnest($1::text[], $2::text[]) with ordinality as asked (user_id, order_id, place)
join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id
