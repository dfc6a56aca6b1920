-- in:   $1 and $2 the range of moments, the second not in it; $3 and $4 the players after the first up to the second, to the end where it is null
-- out:  nothing; the cursor backtest_referrals has texts as backtest_orders has, of orders that may give a referrer points
-- why:  a referrer's own orders may come before those of whom they referred; the range on both tables lets first orders be looked up, not sought
declare backtest_referrals no scroll cursor for
select
  -- include: backtest-order
  as line
from orders o
join accounts a on a.user_id = o.user_id and a.first_order_id = o.order_id
where o.ordered_at >= $1::timestamptz and o.ordered_at < $2::timestamptz and o.state ->> 'referral_code' <> ''
  and o.user_id > $3::text and ($4::text is null or o.user_id <= $4::text)
  and a.user_id > $3::text and ($4::text is null or a.user_id <= $4::text)
