-- fragment: stored-product
-- in:   a row of products
-- out:  the columns shown for a product; the price as text, moments as RFC 3339
-- why:  one format for a single product and for lists
sku, trim_scale(price)::text as price, rev, state_version,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
  coalesce((select attributes from product_attributes where digest = attributes_digest), '{}')::jsonb as attributes

-- name: products-upsert
-- in:   $1 skus (each at most once, sorted), $2 prices, $3 the moment of the request
-- out:  a row for each product written: key, inserted; missing ones were unchanged
-- why:  one statement, so that counts and writes cannot disagree; equal prices are not rewritten
insert into products as p (sku, price, rev, created_at, updated_at)
select sku, price, 1, $3::timestamptz, $3::timestamptz
from unnest($1::text[], $2::numeric[]) with ordinality as incoming (sku, price, place)
order by place
on conflict (sku) do update set
  price = excluded.price, rev = p.rev + 1, updated_at = excluded.updated_at
  where p.price <> excluded.price
returning sku as key, rev = 1 as inserted

-- name: products-upsert-with-attributes
-- in:   $1 skus (each at most once, sorted), $2 prices, $3 the moment of the request, $4 attributes as JSON texts (null: unsaid)
-- out:  a row for each product written: key, inserted; missing ones were unchanged
-- why:  the same for the few requests that say attributes; a set is stored once, and kept for the orders that saw it
with incoming as materialized (
  select sku, price, place, attributes,
    case attributes when '{}' then '' else encode(sha256(convert_to(attributes, 'UTF8')), 'hex') end as digest
  from unnest($1::text[], $2::numeric[], $4::text[]) with ordinality as incoming (sku, price, attributes, place)
),
sets as (
  insert into product_attributes (digest, attributes)
  select distinct digest, attributes from incoming where digest <> '' order by digest
  on conflict do nothing
)
insert into products as p (sku, price, rev, created_at, updated_at, attributes_digest)
select sku, price, 1, $3::timestamptz, $3::timestamptz, digest
from incoming
order by place
on conflict (sku) do update set
  price = excluded.price, rev = p.rev + 1, updated_at = excluded.updated_at,
  attributes_digest = coalesce(excluded.attributes_digest, p.attributes_digest)
  where p.price <> excluded.price or coalesce(p.attributes_digest, '') <> excluded.attributes_digest
returning sku as key, rev = 1 as inserted

-- name: products-copy
-- in:   as COPY text: sku, price, 1, and the moment of the request twice
-- out:  nothing; fails if a product is already stored
-- why:  the fastest way to insert products that were looked up and are not stored
copy products (sku, price, rev, created_at, updated_at) from stdin

-- name: products-fingerprints
-- in:   $1 skus, tab-separated
-- out:  one row with those that are stored: keys, tab-separated, and fingerprints in the same order (prices without trailing zeros)
-- why:  unchanged records need not be written, and a dry run reports what an upsert would do
select string_agg(sku, chr(9)) as keys, string_agg(trim_scale(price)::text, chr(9)) as fingerprints
from products
where sku = any (string_to_array($1::text, chr(9)))

-- name: product-find
-- in:   $1 a sku
-- out:  the product as stored; no row if unknown
-- why:  one product, for display
select
  -- include: stored-product
from products
where sku = $1::text

-- name: products-page
-- in:   $1 the previous page's last sku, $2 and $3 the lowest and highest sku with a prefix, $4 limit
-- out:  products as stored, by sku
-- why:  a page of all products, by key: no page costs more than the first
select
  -- include: stored-product
from products
where sku > $1::text and sku >= $2::text and sku <= $3::text
order by sku
limit $4::bigint
