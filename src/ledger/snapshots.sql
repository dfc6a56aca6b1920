-- fragment: inputs-of-players
-- in:   $1 user ids
-- out:  kind, key, value: these players and their accounts, each as a JSON list, `erased` for players who were
-- why:  JSON objects, or a join of both, would cost every prediction 20 % more (bench/NOTES.md)
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

-- fragment: prices-of-products
-- in:   $3 skus
-- out:  kind, key, value: all products and prices, tab-separated, each price with the digest of the attributes, if it has any
-- why:  one row for all costs less than one for each
select 'products' as kind, string_agg(sku, E'\t') as key, string_agg(price::text || coalesce(' ' || attributes_digest, ''), E'\t') as value
from products
where sku = any ($3::text[])

-- fragment: owners-of-orders
-- in:   $2 order ids
-- out:  kind, key, value: the players to whom these belong
-- why:  an order id belongs to exactly one player
select 'owner' as kind, order_id as key, user_id as value
from order_owners
where order_id = any ($2::text[])

-- fragment: accounts-to-derive
-- in:   $4 user ids
-- out:  user_id of those whose account keeps no movements of its revision
-- why:  what their entries give is read instead
select user_id
from accounts
where user_id = any ($4::text[]) and (movements is null or movements_rev is distinct from rev)

-- fragment: movements-asked
-- in:   $4 user ids; derived, what the entries of some of them give
-- out:  kind, key, value: the revision of each account, a space, and its movements
-- why:  a revision and movements of one moment
select 'movements' as kind, a.user_id as key,
  a.rev || ' ' || coalesce(d.movements, case when a.movements_rev = a.rev then a.movements when a.entries = 0 then '' end) as value
from accounts a
left join derived d on d.user_id = a.user_id
where a.user_id = any ($4::text[])

-- fragment: redemptions-asked
-- in:   $4 user ids, $5 ids of redemptions
-- out:  kind, key, value: all holds of these players, and those of $5, each as a JSON list
-- why:  two parts, each of which an index answers
select 'redemption' as kind, user_id as key,
  -- include: redemption.fragment.sql
  ::text as value
from redemptions r
where user_id = any ($4::text[]) and state = 'held'
union all
select 'redemption', user_id,
  -- include: redemption.fragment.sql
  ::text
from redemptions r
where user_id = any ($4::text[]) and redemption_id = any ($5::text[]) and state <> 'held'

-- name: order-inputs
-- in:   $1 user ids, $2 order ids, $3 skus of all orders in question
-- out:  kind, key, value: what the fragments give
-- why:  one simple statement for all waiting requests; most predictions need no more
-- include: inputs-of-players
union all
-- include: prices-of-products
union all
-- include: owners-of-orders

-- on a cluster: order-inputs
-- why:  the coordinator of a cluster would write the rows of each part of a union to a file, and read them again: 1.7 times the processor time
select kind, key, value from (
  -- include: inputs-of-players
) as of_players
-- and
-- include: prices-of-products
-- and
-- include: owners-of-orders

-- name: order-inputs-with-histories
-- in:   $1 to $3 as in order-inputs; $4 user ids whose histories are needed, $5 ids of redemptions that are needed with them
-- out:  what order-inputs gives, and for $4: `movements`, the revision of the account, a space, and what it keeps or else what its entries give (kept-movements.ts); `redemption`, all holds and those of $5, each as a JSON list
-- why:  orders that redeem, and rules that look at balances, need no second statement
with asked as materialized (
  -- include: accounts-to-derive
),
derived as materialized (
  -- include: derived-movements.fragment.sql
)
-- include: inputs-of-players
union all
-- include: prices-of-products
union all
-- include: owners-of-orders
union all
-- include: movements-asked
union all
-- include: redemptions-asked

-- on a cluster: order-inputs-with-histories
-- why:  as of order-inputs. Each server reads the accounts and entries of its players at one moment. Accounts come first and movements last: if both have the same revision, the redemptions between them are of it, too
select kind, key, value from (
  -- include: inputs-of-players
) as of_players
-- and
-- include: prices-of-products
-- and
-- include: owners-of-orders
-- and
select kind, key, value from (
  -- include: redemptions-asked
) as of_redemptions
-- and
with asked as (
  -- include: accounts-to-derive
),
derived as (
  -- include: derived-movements.fragment.sql
)
-- include: movements-asked

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
