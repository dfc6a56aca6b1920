-- in:   $1 user ids, $2 order ids, $3 skus, of all orders that are asked about
-- out:  kind, key, value: players and their accounts, each as a list in JSON, owners of orders; all products and prices between tabs
-- why:  one simple statement for all who wait; a join, or objects in JSON, cost every prediction a fifth more (bench/NOTES.md)
select 'player' as kind, user_id as key,
  json_build_array(state, district, country, gender, date_of_birth::text)::text as value
from players
where user_id = any ($1::text[])
union all
select 'account', user_id,
  -- include: account
  ::text
from accounts a
where user_id = any ($1::text[])
union all
select 'products', string_agg(sku, E'\t'), string_agg(price::text, E'\t')
from products
where sku = any ($3::text[])
union all
select 'owner', order_id, user_id
from order_owners
where order_id = any ($2::text[])
