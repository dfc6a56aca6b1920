-- in:   $1 skus
-- out:  for each that is stored: key, fingerprint (its price without needless zeros)
-- why:  a dry run says what an upsert would do, and writes nothing
select sku as key, trim_scale(price)::text as fingerprint
from products
where sku = any ($1::text[])
