-- in:   $1 skus, tab-separated
-- out:  one row with those that are stored: keys, tab-separated, and fingerprints in the same order (prices without trailing zeros)
-- why:  unchanged records need not be written, and a dry run reports what an upsert would do
select string_agg(sku, chr(9)) as keys, string_agg(trim_scale(price)::text, chr(9)) as fingerprints
from products
where sku = any (string_to_array($1::text, chr(9)))
