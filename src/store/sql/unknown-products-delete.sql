-- in:   $1 a moment, $2 how many to keep at most
-- out:  nothing
-- why:  deletes products not named since, those now in the catalogue, and, if there are too many, those named longest ago
delete from unknown_products
where last_named_at < $1::timestamptz
  or sku in (select named.sku from unknown_products named join products on products.sku = named.sku)
  or sku in (select sku from unknown_products order by last_named_at desc, sku offset $2::bigint)
