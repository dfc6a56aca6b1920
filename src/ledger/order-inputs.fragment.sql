-- in:   $1 user ids, $2 order ids, $3 skus of all orders in question
-- out:  kind, key, value: players and their accounts, each as a JSON list, `erased` for players who were; owners of orders; all products and prices, tab-separated, each price with the digest of the attributes, if it has any
-- why:  one simple statement for all waiting requests; joins or JSON objects would cost every prediction 20 % more (bench/NOTES.md)
select case row_hash when '\x00' then 'erased' else 'player' end as kind, user_id as key,
  json_build_array(state, district, country, gender, date_of_birth::text, participates, attributes::text)::text as value
from players
where user_id = any ($1::text[])
union all
select 'account', user_id,
  -- include: account.fragment.sql
  ::text
from accounts a
where user_id = any ($1::text[])
union all
select 'products', string_agg(sku, E'\t'), string_agg(price::text || coalesce(' ' || attributes_digest, ''), E'\t')
from products
where sku = any ($3::text[])
union all
select 'owner', order_id, user_id
from order_owners
where order_id = any ($2::text[])
