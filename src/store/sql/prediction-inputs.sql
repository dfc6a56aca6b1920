-- in:   $1 user ids, $2 skus, of all the orders that wait for a prediction
-- out:  kind 'player': key and facts; kind 'product': key and price; what is unknown has no row
-- why:  one statement for all who wait: a round trip each would be the whole cost of a prediction
select 'player' as kind, user_id as key, null as price,
  jsonb_build_object(
    'state', state, 'district', district, 'country', country, 'gender', gender,
    'date_of_birth', to_char(date_of_birth, 'YYYY-MM-DD')
  ) as facts
from players
where user_id = any ($1::text[])
union all
select 'product' as kind, sku as key, price::text as price, null as facts
from products
where sku = any ($2::text[])
