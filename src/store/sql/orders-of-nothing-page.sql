-- in:   $1 and $2 the moment and the id of the last order of the page before, $3 how many orders, $4 and $5 two moments, $6 a reason
-- out:  orders that earned nothing for this reason when they were first recorded, of moments in [$4, $5) then, newest first; first_at is that moment
-- why:  the orders behind a figure of the statistics, a page at a time: the index by reason has these alone
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
