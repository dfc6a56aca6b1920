-- in:   $1 user ids and $2 order ids of recorded orders, in pairs; $3 referral codes
-- out:  kind, key, value, record: the orders, the first three who bear each code, the accounts of their players and of all whom codes stand for
-- why:  what few predictions ask about: an order that is recorded already, with its account as of the same moment, and a referral
with recorded as (
  select o.*
  from unnest($1::text[], $2::text[]) as asked (user_id, order_id)
  join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id
),
bearers as (
  select asked.code, p.user_id
  from unnest($3::text[]) as asked (code)
  cross join lateral (select user_id from players where refer_code = asked.code and refer_code <> '' limit 3) as p
)
select 'order' as kind, order_id as key, user_id as value,
  -- include: recorded-order
  as record
from recorded o
union all
select 'code', code, user_id, null
from bearers
union all
select 'account', user_id, null,
  -- include: account
  ::jsonb
from accounts a
where user_id in (
  select user_id from bearers
  union
  select user_id from recorded
  union
  select owner ->> 'referrerId' from recorded cross join lateral json_each(facts -> 'codes') as named (code, owner)
)
