-- in:   the columns of predictions (predictions.ts)
-- out:  nothing
-- why:  one statement for all of a second; written again after an unknown outcome, it finds its own rows
insert into predictions (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
on conflict (user_id, order_id, predicted_at, prediction_id) do nothing
