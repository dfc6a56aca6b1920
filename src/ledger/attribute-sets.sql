-- name: attribute-sets
-- in:   $1 digests
-- out:  digest and attributes of each set
-- why:  products have the same few sets; each is read once
select digest, attributes from product_attributes where digest = any ($1::text[])
