-- in:   $1 a sku
-- out:  the product as stored; no row if unknown
-- why:  one product, for display
select
  -- include: stored-product
from products
where sku = $1::text
