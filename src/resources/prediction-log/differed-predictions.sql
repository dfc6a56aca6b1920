-- name: differed-predictions-insert
-- in:   $1 user ids and $2 their digests in hex, in pairs, of those that may have been replaced; from $3 the columns of differed_predictions (differed-predictions.ts)
-- out:  nothing
-- why:  an order has one first recording, and none of erased players is kept; a retry after an unknown outcome leaves existing rows alone
insert into differed_predictions (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
where incoming.user_id <> all (
  -- include: ../../ledger/erased-ids.fragment.sql
)
on conflict (user_id, order_id) do nothing

-- name: differed-predictions-list
-- in:   $1 how many at most
-- out:  orders that came out differently from their prediction, most recently recorded first
-- why:  examples for investigating predictions that did not come true
select order_id, user_id, to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at, reasons,
  told_points, told_level, told_program, recorded_points, recorded_level, recorded_program
from differed_predictions
order by differed_predictions.recorded_at desc, order_id
limit $1::bigint

-- name: differed-predictions-delete
-- in:   $1 a moment, $2 how many at most
-- out:  nothing
-- why:  expires with the predictions
delete from differed_predictions
where (user_id, order_id) in (
  select user_id, order_id from differed_predictions where recorded_at < $1::timestamptz order by recorded_at limit $2::bigint
)
