-- in:   $1 how many at most
-- out:  orders that came out differently from their prediction, most recently recorded first
-- why:  examples for investigating predictions that did not come true
select order_id, user_id, to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at, reasons,
  told_points, told_level, told_program, recorded_points, recorded_level, recorded_program
from differed_predictions
order by differed_predictions.recorded_at desc, order_id
limit $1::bigint
