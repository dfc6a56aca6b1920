-- in:   $1 user ids, $2 order ids, $3 skus, of all orders that are asked about
-- out:  kind, key, value, facts: players with their accounts (null where they have none yet), prices, owners of orders
-- why:  one simple statement for all who wait; a plan with more parts costs every prediction as much again (bench/NOTES.md)
select 'player' as kind, p.user_id as key, null as value,
  jsonb_build_object(
    'state', p.state, 'district', p.district, 'country', p.country, 'gender', p.gender,
    'date_of_birth', to_char(p.date_of_birth, 'YYYY-MM-DD'),
    'points', a.points::text, 'counted', a.counted::text, 'orders', a.orders::text, 'entries', a.entries::text,
    'first_order_id', a.first_order_id, 'rev', a.rev::text
  ) as facts
from players p
left join accounts a on a.user_id = p.user_id
where p.user_id = any ($1::text[])
union all
select 'product', sku, price::text, null
from products
where sku = any ($3::text[])
union all
select 'owner', order_id, user_id, null
from order_owners
where order_id = any ($2::text[])
