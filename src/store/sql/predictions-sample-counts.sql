-- in:   $1 to $4 the key of the previous page's last prediction, $5 limit, $6 and $7 two moments
-- out:  one row: kept, how many of the next predictions were made in [$6, $7); seen, how many answered predictions they represent; last, the last key in four parts, or null
-- why:  each row represents seen / kept predictions of its second; a page at a time, however many are stored
with page as materialized (
  select user_id, order_id, predicted_at, prediction_id, kept, seen,
    predicted_at >= $6::timestamptz and predicted_at < $7::timestamptz as in_range
  from predictions
  where (user_id, order_id, predicted_at, prediction_id) > ($1::text, $2::text, $3::timestamptz, $4::uuid)
  order by user_id, order_id, predicted_at, prediction_id
  limit $5::bigint
)
select (count(*) filter (where in_range))::bigint as kept,
  coalesce(round(sum(seen::numeric / kept) filter (where in_range), 6), 0)::text as seen,
  (
    select jsonb_build_array(user_id, order_id, predicted_at::text, prediction_id)
    from page
    order by user_id desc, order_id desc, predicted_at desc, prediction_id desc
    limit 1
  ) as last
from page
