-- in:   $1 how many at most
-- out:  orders that came to something else than was predicted, the last recorded first
-- why:  examples for whoever sees a promise that was not kept
select order_id, user_id, to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at, reasons,
  told_points, told_level, told_program, recorded_points, recorded_level, recorded_program
from differed_predictions
order by differed_predictions.recorded_at desc, order_id
limit $1::bigint
