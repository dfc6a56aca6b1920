-- in:   $1 user ids and $2 order ids (pairs: who sends which order), $3 skus, $4 referral codes, of all orders that are asked about
-- out:  kind, key, value, facts: players, accounts of them and of whom codes stand for, prices, orders with their owners, codes with their bearers
-- why:  one statement for all who wait: a round trip each would be the whole cost of a prediction
with recorded as (
  select o.*
  from unnest($1::text[], $2::text[]) as asked (user_id, order_id)
  join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id
),
bearers as (
  select asked.code, p.user_id
  from unnest($4::text[]) as asked (code)
  cross join lateral (select user_id from players where refer_code = asked.code and refer_code <> '' limit 3) as p
)
select 'player' as kind, p.user_id as key, null as value,
  jsonb_build_object(
    'state', p.state, 'district', p.district, 'country', p.country, 'gender', p.gender,
    'date_of_birth', to_char(p.date_of_birth, 'YYYY-MM-DD')
  ) as facts
from players p
where p.user_id = any ($1::text[])
union all
select 'account', user_id, null,
  jsonb_build_object(
    'points', points::text, 'counted', counted::text, 'orders', orders::text, 'entries', entries::text,
    'first_order_id', first_order_id, 'rev', rev::text
  )
from accounts
where user_id in (
  select unnest($1::text[])
  union
  select user_id from bearers
  union
  select owner ->> 'referrerId' from recorded cross join lateral json_each(facts -> 'codes') as named (code, owner)
)
union all
select 'product', sku, price::text, null
from products
where sku = any ($3::text[])
union all
select 'owner', order_id, user_id, null
from order_owners
where order_id = any ($2::text[])
union all
select 'order', order_id, user_id,
  jsonb_build_object(
    'at', to_char(ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'state', state, 'facts', facts, 'program', program_version, 'points', points::text,
    'referrer_id', referrer_id, 'referrer_points', referrer_points::text, 'rev', rev::text
  )
from recorded
union all
select 'code', code, user_id, null
from bearers
