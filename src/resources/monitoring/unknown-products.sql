-- name: unknown-products-add
-- in:   the columns of unknown_products (unknown-products.ts), each product once, and $7 how many may be stored
-- out:  nothing
-- why:  new products are stored while there is room; several processes add: sorted, so that they never deadlock
insert into unknown_products as u (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
where (select count(*) from unknown_products) < $7::bigint
  or exists (select 1 from unknown_products kept where kept.sku = incoming.sku)
order by sku
on conflict (sku) do update set
  orders = u.orders + excluded.orders,
  predictions = u.predictions + excluded.predictions,
  first_named_at = least(u.first_named_at, excluded.first_named_at),
  last_named_at = greatest(u.last_named_at, excluded.last_named_at),
  order_id = coalesce(excluded.order_id, u.order_id)

-- name: unknown-products-list
-- in:   $1 limit
-- out:  products still missing from the catalogue, most frequently named first; moments as RFC 3339
-- why:  a product that was unknown when named may have been added since
select sku, orders, predictions,
  to_char(first_named_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first_named_at,
  to_char(last_named_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_named_at,
  order_id
from unknown_products named
where not exists (select 1 from products where products.sku = named.sku)
order by orders + predictions desc, sku
limit $1::bigint

-- name: unknown-products-known
-- in:   nothing
-- out:  the products that are in the catalogue by now
-- why:  apart from the deletion: on a cluster, a statement that writes a table of the coordinator cannot read the catalogue
select named.sku from unknown_products named join products on products.sku = named.sku

-- name: unknown-products-delete
-- in:   $1 a moment, $2 how many to keep at most, $3 products that are known by now
-- out:  nothing
-- why:  deletes products not named since, those that are known, and, if there are too many, those named longest ago
delete from unknown_products
where last_named_at < $1::timestamptz
  or sku = any ($3::text[])
  or sku in (select sku from unknown_products order by last_named_at desc, sku offset $2::bigint)
