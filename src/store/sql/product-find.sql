-- in:   $1 a sku
-- out:  the product as stored; no row if it was never sent
-- why:  one record for a person who looks at it
select
  -- include: stored-product
from products
where sku = $1::text
