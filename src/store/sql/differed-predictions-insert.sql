-- in:   the columns of differed_predictions (differed-predictions.ts)
-- out:  nothing
-- why:  an order has one first recording; a retry after an unknown outcome leaves existing rows alone
insert into differed_predictions (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
on conflict (user_id, order_id) do nothing
