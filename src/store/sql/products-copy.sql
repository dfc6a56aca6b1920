-- in:   as COPY text: sku, price, 1, and the moment of the request twice
-- out:  nothing; fails if a product is already stored
-- why:  the fastest way to insert products that were looked up and are not stored
copy products (sku, price, rev, created_at, updated_at) from stdin
