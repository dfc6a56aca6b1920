-- in:   the time range [$1, $2); the players in ($3, $4], to the end if $4 is null
-- out:  nothing; the cursor backtest_referrals yields lines like backtest_orders, for orders that may give a referrer points
-- why:  a referrer may be processed before the players they referred; the range on both tables allows key lookups instead of a scan
declare backtest_referrals no scroll cursor for
select
  -- include: backtest-order
  as line
from orders o
join accounts a on a.user_id = o.user_id and a.first_order_id = o.order_id
where o.ordered_at >= $1::timestamptz and o.ordered_at < $2::timestamptz and o.state ->> 'referral_code' <> ''
  and o.user_id > $3::text and ($4::text is null or o.user_id <= $4::text)
  and a.user_id > $3::text and ($4::text is null or a.user_id <= $4::text)
