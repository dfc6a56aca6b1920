-- in:   $1 how many
-- out:  products that are not in the catalogue now, most named first; moments as RFC 3339
-- why:  what was unknown when it was named may be known by now
select sku, orders, predictions,
  to_char(first_named_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first_named_at,
  to_char(last_named_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_named_at,
  order_id
from unknown_products named
where not exists (select from products where products.sku = named.sku)
order by orders + predictions desc, sku
limit $1::bigint
