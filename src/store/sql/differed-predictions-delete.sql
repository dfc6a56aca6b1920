-- in:   $1 a moment, $2 how many at most
-- out:  nothing
-- why:  expires with the predictions
delete from differed_predictions
where (user_id, order_id) in (
  select user_id, order_id from differed_predictions where recorded_at < $1::timestamptz order by recorded_at limit $2::bigint
)
