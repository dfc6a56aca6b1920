-- in:   the columns of unknown_products (unknown-products.ts), each product once, and $7 how many may be stored
-- out:  nothing
-- why:  new products are stored while there is room; several processes add: sorted, so that they never deadlock
insert into unknown_products as u (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
where (select count(*) from unknown_products) < $7::bigint
  or exists (select from unknown_products kept where kept.sku = incoming.sku)
order by sku
on conflict (sku) do update set
  orders = u.orders + excluded.orders,
  predictions = u.predictions + excluded.predictions,
  first_named_at = least(u.first_named_at, excluded.first_named_at),
  last_named_at = greatest(u.last_named_at, excluded.last_named_at),
  order_id = coalesce(excluded.order_id, u.order_id)
