-- in:   a row of products
-- out:  the columns shown for a product; the price as text, moments as RFC 3339
-- why:  one format for a single product and for lists
sku, trim_scale(price)::text as price, rev, state_version,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
