-- name: order-inputs
-- in:   $1 to $3 as in the fragment
-- out:  what the fragment gives
-- why:  most predictions need no more
-- include: order-inputs.fragment.sql

-- name: order-inputs-with-histories
-- in:   $1 to $3 as in the fragment; $4 user ids whose histories are needed, $5 ids of redemptions that are needed with them
-- out:  what the fragment gives, and for $4: `movements`, the revision of the account, a space, and what it keeps or else what its entries give (kept-movements.ts); `redemption`, all holds and those of $5, each as a JSON list
-- why:  orders that redeem, and rules that look at balances, need no second statement. On a cluster, the parts of a statement have moments of their own: the revision is read first, and null stands for movements that were written meanwhile
with before as materialized (
  select user_id, rev, movements is null or movements_rev is distinct from rev as is_asked from accounts where user_id = any ($4::text[])
),
asked as materialized (
  select user_id from before where is_asked
),
derived as materialized (
  -- include: derived-movements.fragment.sql
)
-- include: order-inputs.fragment.sql
union all
select 'movements', a.user_id, b.rev || ' ' || coalesce(d.movements, case when a.movements_rev = a.rev then a.movements when a.entries = 0 then '' end)
from accounts a
join before b on b.user_id = a.user_id
left join derived d on d.user_id = a.user_id
where a.user_id = any ($4::text[])
union all
select 'redemption', user_id,
  -- include: redemption.fragment.sql
  ::text
from redemptions r
where user_id = any ($4::text[]) and state = 'held'
union all
select 'redemption', user_id,
  -- include: redemption.fragment.sql
  ::text
from redemptions r
where user_id = any ($4::text[]) and redemption_id = any ($5::text[]) and state <> 'held'

-- name: order-records
-- in:   $1 user ids and $2 order ids of recorded orders, in pairs; $3 referral codes
-- out:  kind, key, value, record: the orders, up to three players with each code, the accounts of the orders' players and of all referrers
-- why:  needed by few predictions: those of recorded orders, with the account as of the same moment, and those with referral codes
with recorded as (
  select o.*
  from unnest($1::text[], $2::text[]) as asked (user_id, order_id)
  join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id
),
code_owners as (
  select asked.code, p.user_id, p.participates
  from unnest($3::text[]) as asked (code)
  cross join lateral (select user_id, participates from players where refer_code = asked.code and refer_code <> '' limit 3) as p
)
select 'order' as kind, order_id as key, user_id as value,
  -- include: recorded-order.fragment.sql
  as record
from recorded o
union all
select 'code', code, user_id, to_jsonb(participates)
from code_owners
union all
select 'account', user_id, null,
  -- include: account.fragment.sql
  ::jsonb
from accounts a
-- As an array, which is taken for few: the planner expects a hundred codes of each order, for which it would read all accounts.
where user_id = any (array(
  select user_id from code_owners
  union
  select user_id from recorded
  union
  select owner ->> 'referrerId' from recorded cross join lateral json_each(facts -> 'codes') as named (code, owner)
))

-- on a cluster: order-records
-- why:  no limit in a lateral subquery; a code that very many players share takes as long as reading them all
with recorded as materialized (
  select o.*
  from unnest($1::text[], $2::text[]) as asked (user_id, order_id)
  join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id
  where o.user_id = any ($1::text[])
),
code_owners as materialized (
  select code, user_id, participates
  from (
    select refer_code as code, user_id, participates, row_number() over (partition by refer_code) as place
    from players
    where refer_code = any ($3::text[]) and refer_code <> ''
  ) as bearers
  where place <= 3
),
needed as materialized (
  select user_id from code_owners
  union
  select user_id from recorded
  union
  select owner ->> 'referrerId' from recorded cross join lateral json_each(facts -> 'codes') as named (code, owner)
)
select 'order' as kind, order_id as key, user_id as value,
  -- include: recorded-order.fragment.sql
  as record
from recorded o
union all
select 'code', code, user_id, to_jsonb(participates)
from code_owners
union all
select 'account', user_id, null,
  -- include: account.fragment.sql
  ::jsonb
from accounts a
where user_id in (select user_id from needed)
