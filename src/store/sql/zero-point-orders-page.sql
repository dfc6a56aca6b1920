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
