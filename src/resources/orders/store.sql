-- fragment: stored-order
-- in:   o, a row of orders
-- out:  the columns shown for an order: exact numbers as text, moments as RFC 3339, and the number of its lines
-- why:  one format for a single order and for lists; without the facts, which describe the player
o.order_id, o.user_id, o.state ->> 'status' as status,
  to_char(o.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at,
  o.state ->> 'total' as total, o.state ->> 'discount' as discount, o.state ->> 'qty' as qty,
  json_array_length(o.state -> 'lines') as line_count,
  o.state ->> 'referral_code' as referral_code, (o.state ->> 'subscript_points')::boolean as subscript_points,
  o.points::text as points, o.referrer_id, o.referrer_points::text as referrer_points,
  o.program_version as program, o.rev, o.state_version,
  to_char(o.recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  to_char(o.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at, o.state ->> 'currency' as currency

-- name: orders-of-all-page
-- in:   $1 the previous page's last order id, $2 and $3 the lowest and highest id with a prefix, $4 limit
-- out:  orders, by id
-- why:  a page of all orders: order_owners is keyed by order id, and each order is then found by its own key
with page as materialized (
  select order_id, user_id
  from order_owners
  where order_id > $1::text and order_id >= $2::text and order_id <= $3::text
  order by order_id
  limit $4::bigint
)
select
  -- include: stored-order
from page
join orders o on o.user_id = page.user_id and o.order_id = page.order_id
order by o.order_id

-- name: orders-by-moment-page
-- in:   $1 and $2 the moment and id of the previous page's last order, $3 limit, $4 and $5 two moments
-- out:  orders with moments in [$4, $5), newest first
-- why:  a page of the orders of some days: the index by moment is read backwards from where the previous page ended
with page as materialized (
  select user_id, order_id
  from orders
  where ordered_at >= $4::timestamptz and ordered_at < $5::timestamptz and (ordered_at, order_id) < ($1::timestamptz, $2::text)
  order by ordered_at desc, order_id desc
  limit $3::bigint
)
select
  -- include: stored-order
from page
join orders o on o.user_id = page.user_id and o.order_id = page.order_id
order by o.ordered_at desc, o.order_id desc

-- name: zero-point-orders-page
-- in:   $1 and $2 the moment and id of the previous page's last order, $3 limit, $4 and $5 two moments, $6 a reason
-- out:  orders whose first recording earned no points for this reason, at moments in [$4, $5), newest first; first_at is that moment
-- why:  a page of the orders behind a figure of the statistics: the partial index by reason contains only these
with page as materialized (
  select user_id, order_id, at
  from entries
  where kind = 'order' and revision = 1 and points = 0 and coalesce(explanation ->> 'nothing', 'unknown') = $6::text
    and at >= $4::timestamptz and at < $5::timestamptz and (at, order_id) < ($1::timestamptz, $2::text)
  order by at desc, order_id desc
  limit $3::bigint
)
select
  -- include: stored-order
  , to_char(page.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first_at
from page
join orders o on o.user_id = page.user_id and o.order_id = page.order_id
order by page.at desc, page.order_id desc

-- name: orders-of-player-page
-- in:   $1 the previous page's last order id, $2 and $3 the lowest and highest id with a prefix, $4 limit, $5 a user id
-- out:  orders with that player in the column :whose, by id
-- why:  a page of the orders that a player placed, or gets referral points for
select
  -- include: stored-order
from orders o
where o.:whose = $5::text and o.order_id > $1::text and o.order_id >= $2::text and o.order_id <= $3::text
order by o.order_id
limit $4::bigint

-- name: order-find
-- in:   $1 an order id, $2 how many revisions
-- out:  the order with its lines and its revisions, newest first and explained, as JSON text; no row if it was never recorded
-- why:  one order, for display; orders are keyed by player, so its owner is looked up first. Entries have no index by order: those of its player are read by key
select
  -- include: stored-order
  , (o.state ->> 'points_redeemed')::bigint as points_redeemed, (o.state -> 'lines')::jsonb as lines,
  (o.state -> 'attributes')::jsonb as attributes,
  (
    select coalesce(json_agg(r), '[]')::text
    from (
      select e.revision, e.change, e.points, e.program_version as program,
        to_char(e.recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
        e.explanation
      from entries e
      where e.user_id = o.user_id and e.order_id = o.order_id and e.kind = 'order'
      order by e.revision desc
      limit $2::bigint
    ) as r
  ) as revisions
from order_owners w
join orders o on o.user_id = w.user_id and o.order_id = w.order_id
where w.order_id = $1::text

-- on a cluster: order-find
-- why:  owners lie elsewhere than orders
with owner as materialized (
  select user_id from order_owners where order_id = $1::text
),
found as materialized (
  select * from orders where order_id = $1::text and user_id in (select user_id from owner)
),
revised as materialized (
  select coalesce(json_agg(r), '[]')::text as revisions
  from (
    select e.revision, e.change, e.points, e.program_version as program,
      to_char(e.recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
      e.explanation
    from entries e
    where e.user_id in (select user_id from owner) and e.order_id = $1::text and e.kind = 'order'
    order by e.revision desc
    limit $2::bigint
  ) as r
)
select
  -- include: stored-order
  , (o.state ->> 'points_redeemed')::bigint as points_redeemed, (o.state -> 'lines')::jsonb as lines,
  (o.state -> 'attributes')::jsonb as attributes, revised.revisions
from found o
cross join revised

-- name: orders-latest
-- in:   $1 user ids
-- out:  for each player with orders: the moment of the latest, as RFC 3339
-- why:  whether an order is older than one recorded for its player; each player's orders are read by their key
select user_id, to_char(max(ordered_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as latest
from orders
where user_id = any ($1::text[])
group by user_id
