-- in:   $1 a moment, $2 how many are to stay at most
-- out:  nothing
-- why:  what nobody has named since, what the catalogue knows by now, and where there are too many those that were named longest ago
delete from unknown_products
where last_named_at < $1::timestamptz
  or sku in (select named.sku from unknown_products named join products on products.sku = named.sku)
  or sku in (select sku from unknown_products order by last_named_at desc, sku offset $2::bigint)
