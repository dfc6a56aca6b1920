-- name: orders-page
-- in:   $1 and $2 the previous page's last player and order, $3 limit, $4 and $5 two moments
-- out:  user_id, order_id, recorded_at (of the first recording), in_range (whether that is in [$4, $5))
-- why:  a page of all orders, by key: no page costs more than the first
select user_id, order_id, to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  recorded_at >= $4::timestamptz and recorded_at < $5::timestamptz as in_range
from orders
where (user_id, order_id) > ($1::text, $2::text)
order by user_id, order_id
limit $3::bigint

-- name: orders-find
-- in:   $1 user ids and $2 order ids, in pairs
-- out:  place (from 1) and recorded, the complete order; no row for an order that is not recorded
-- why:  the inputs of orders that came out differently from their prediction; few are looked up
select asked.place,
  -- include: recorded-order.fragment.sql
  as recorded
from unnest($1::text[], $2::text[]) with ordinality as asked (user_id, order_id, place)
join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id

-- on a cluster: orders-find
-- why:  the servers to ask are known only from parameters
with found as materialized (
  select o.user_id, o.order_id,
    -- include: recorded-order.fragment.sql
    as recorded
  from orders o
  where o.user_id = any ($1::text[]) and o.order_id = any ($2::text[])
)
select asked.place, found.recorded
from unnest($1::text[], $2::text[]) with ordinality as asked (user_id, order_id, place)
join found on found.user_id = asked.user_id and found.order_id = asked.order_id

-- name: orders-last-from
-- in:   $1 a moment
-- out:  the latest recorded order at or after that moment; no row if there is none
-- why:  the program that recorded orders were computed under must not change
select order_id, to_char(ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at
from orders
where ordered_at >= $1::timestamptz
order by orders.ordered_at desc, order_id
limit 1

-- name: orders-forget-version
-- in:   $1 an order id
-- out:  a row if the order exists: its player, and had_version, whether there was one to clear
-- why:  a version sent too high by mistake would block every later state. Raising the account's revision makes concurrent requests that have read the order start over
with owner as (
  select user_id from order_owners where order_id = $1::text
),
forgotten as (
  update orders set state_version = null
  where order_id = $1::text and user_id in (select user_id from owner) and state_version is not null
  returning user_id
),
noticed as (
  update accounts set rev = rev + 1 where user_id in (select user_id from forgotten)
)
select user_id, exists (select 1 from forgotten) as had_version
from orders
where order_id = $1::text and user_id in (select user_id from owner)

-- name: order-ids
-- in:   $1 an order id, $2 how many
-- out:  the order ids after it, in order
-- why:  read once, when a service starts: an id that is not among them needs no lookup
select order_id
from order_owners
where order_id > $1::text
order by order_id
limit $2::bigint
