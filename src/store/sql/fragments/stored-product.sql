-- in:   a row of products
-- out:  the columns of a product as stored, the price and moments as texts
-- why:  one form for a product alone and in a list
sku, trim_scale(price)::text as price, rev, state_version,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
