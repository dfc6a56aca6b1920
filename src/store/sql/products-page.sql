-- in:   $1 the last sku of the page before, $2 and $3 the first and the last sku that a prefix allows, $4 how many products
-- out:  products as stored, in the order of their skus
-- why:  all products by key, a page at a time: no page costs more than the first
select
  -- include: stored-product
from products
where sku > $1::text and sku >= $2::text and sku <= $3::text
order by sku
limit $4::bigint
