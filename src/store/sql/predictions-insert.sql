-- in:   the columns of predictions (predictions.ts)
-- out:  nothing
-- why:  one statement for all predictions of a second; a retry after an unknown outcome leaves existing rows alone
insert into predictions (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
on conflict (user_id, order_id, predicted_at, prediction_id) do nothing
