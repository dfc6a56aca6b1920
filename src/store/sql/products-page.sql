-- in:   $1 the previous page's last sku, $2 and $3 the lowest and highest sku with a prefix, $4 limit
-- out:  products as stored, by sku
-- why:  a page of all products, by key: no page costs more than the first
select
  -- include: stored-product
from products
where sku > $1::text and sku >= $2::text and sku <= $3::text
order by sku
limit $4::bigint
