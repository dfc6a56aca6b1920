-- fragment: backtest-order
-- in:   o, a row of orders
-- out:  the order as one tab-separated text, with state and facts as a JSON list at the end
-- why:  a single text column is the cheapest row to read, and a backtest reads all orders.
concat_ws(
  E'\t', o.user_id, o.order_id, o.ordered_at, o.program_version, o.points, coalesce(o.referrer_id, ''), o.referrer_points, o.rev,
  concat('[', o.state, ',', o.facts, ']')
)

-- name: backtest-count
-- in:   $1 and $2 the time range [$1, $2)
-- out:  the number of orders in it
-- why:  the total for a backtest's progress
select count(*)::int as orders from orders where ordered_at >= $1::timestamptz and ordered_at < $2::timestamptz

-- name: backtest-ranges
-- in:   $1 the minimum number of orders in a range, $2 the approximate maximum number of ranges
-- out:  the last player of each range, in order, with about the same number of orders in each; the last range is open
-- why:  threads take one range at a time; an account without orders is work, too
with counted as (
  select user_id, sum(orders + 1) over (order by user_id) as so_far, sum(orders + 1) over () as total
  from accounts
)
select max(user_id) as last
from counted
group by div(so_far, greatest($1::numeric, div(total, $2::numeric)))
order by last

-- name: backtest-orders
-- in:   the time range [$1, $2); the players in ($3, $4], to the end if $4 is null
-- out:  nothing; the cursor backtest_orders yields one line per order, by player and moment
-- why:  streams each player's orders in chronological order, however many there are
declare backtest_orders no scroll cursor for
select
  -- include: backtest-order
  as line
from orders o
where ordered_at >= $1::timestamptz and ordered_at < $2::timestamptz and user_id > $3::text and ($4::text is null or user_id <= $4::text)
order by user_id, ordered_at, recorded_at, order_id

-- name: backtest-products
-- in:   $1 skus
-- out:  sku and digest of each product that has attributes now
-- why:  what orders lack that were recorded before their products had these attributes
select sku, attributes_digest as digest from products where sku = any ($1::text[]) and attributes_digest <> ''

-- name: backtest-referrals
-- in:   the time range [$1, $2); the players in ($3, $4], to the end if $4 is null
-- out:  nothing; the cursor backtest_referrals yields lines like backtest_orders, for orders that may give a referrer points
-- why:  a referrer may be processed before the players they referred; the range on both tables allows key lookups instead of a scan
declare backtest_referrals no scroll cursor for
select
  -- include: backtest-order
  as line
from orders o
join accounts a on a.user_id = o.user_id and a.first_order_id = o.order_id
where o.ordered_at >= $1::timestamptz and o.ordered_at < $2::timestamptz and (o.state ->> 'referral_code' <> '' or o.referrer_id is not null)
  and o.user_id > $3::text and ($4::text is null or o.user_id <= $4::text)
  and a.user_id > $3::text and ($4::text is null or a.user_id <= $4::text)

-- name: backtest-players
-- in:   points count in ($1, $3] for the program in effect and in ($2, $4] for the candidate; $5 the exclusive end of the time range; $6 whether all points ever earned count for both; the players in ($7, $8], to the end if $8 is null
-- out:  nothing; the cursor backtest_players yields one tab-separated line per account that has entries by then, by player
-- why:  the players' levels before anything is recomputed; entries are summed only if the accounts' own sums do not apply
declare backtest_players no scroll cursor for
select concat_ws(
  E'\t', a.user_id, coalesce(a.first_order_id, ''),
  case when $6::boolean then a.counted else c.in_effect end, case when $6::boolean then a.counted else c.candidate end
) as line
from accounts a
left join (
  select user_id, coalesce(sum(points) filter (where counts and at > $1::timestamptz and at <= $3::timestamptz), 0) as in_effect,
    coalesce(sum(points) filter (where counts and at > $2::timestamptz and at <= $4::timestamptz), 0) as candidate
  from entries
  where not $6::boolean and at < $5::timestamptz and user_id > $7::text and ($8::text is null or user_id <= $8::text)
  group by user_id
) as c on c.user_id = a.user_id
where a.user_id > $7::text and ($8::text is null or a.user_id <= $8::text)
  -- An account that a writer has merely locked has neither orders nor entries.
  and case when $6::boolean then a.orders > 0 or a.entries > 0 else c.user_id is not null end
order by a.user_id

-- name: backtest-entries
-- in:   $1 the exclusive end; the players in ($2, $3], to the end if $3 is null
-- out:  nothing; the cursor backtest_entries yields one line for each moment at which a player's counting points change, by player and moment
-- why:  which points count at a moment, if the candidate counts differently from the program in effect
declare backtest_entries no scroll cursor for
select concat_ws(E'\t', user_id, at, sum(points)) as line
from entries
where counts and at < $1::timestamptz and user_id > $2::text and ($3::text is null or user_id <= $3::text)
group by user_id, at
order by user_id, at

-- name: backtest-movements
-- in:   $1 the moment from which orders are recomputed, $2 the exclusive end of the entries; the players in ($3, $4], to the end if $4 is null
-- out:  nothing; the cursor backtest_movements yields a player's entries summed by moment, part and terms, one line each, by player
-- why:  balances under another program: points earned by orders and spent from $1 on get other days there, everything else keeps its own
declare backtest_movements no scroll cursor for
select concat_ws(
  E'\t', user_id,
  case when at < $1::timestamptz then 'kept' when is_earned then 'earned' when is_spent then 'spent' else 'kept' end,
  at, day, usable_on, expires_on, slides, is_spent, points
) as line
from (
  select
    -- include: ../../ledger/movement.fragment.sql
    , sum(e.points) as points, e.user_id, e.at, e.kind in ('order', 'referral') as is_earned
  from entries e
  where e.at < $2::timestamptz and e.user_id > $3::text and ($4::text is null or e.user_id <= $4::text)
  group by 1, 2, 3, 4, 5, e.user_id, e.at, e.kind in ('order', 'referral')
) as m
order by user_id
