-- in:   $1 limit
-- out:  products still missing from the catalogue, most frequently named first; moments as RFC 3339
-- why:  a product that was unknown when named may have been added since
select sku, orders, predictions,
  to_char(first_named_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first_named_at,
  to_char(last_named_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_named_at,
  order_id
from unknown_products named
where not exists (select from products where products.sku = named.sku)
order by orders + predictions desc, sku
limit $1::bigint
