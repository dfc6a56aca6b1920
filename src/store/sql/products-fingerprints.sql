-- in:   $1 skus between tabs
-- out:  one row with those that are stored: keys between tabs, and fingerprints in the same order (prices without needless zeros)
-- why:  what is stored as it was sent need not be sent, and a dry run says what an upsert would do
select string_agg(sku, chr(9)) as keys, string_agg(trim_scale(price)::text, chr(9)) as fingerprints
from products
where sku = any (string_to_array($1::text, chr(9)))
