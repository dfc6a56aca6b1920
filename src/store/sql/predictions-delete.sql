-- in:   $1 a moment, $2 how many at most
-- out:  one row: deleted, how many predictions from before the moment were deleted
-- why:  in slices, oldest first, so that nobody waits long for the database
with gone as (
  delete from predictions
  where (user_id, order_id, predicted_at, prediction_id) in (
    select user_id, order_id, predicted_at, prediction_id
    from predictions
    where predicted_at < $1::timestamptz
    order by predicted_at
    limit $2::bigint
  )
  returning 1
)
select count(*) as deleted from gone
