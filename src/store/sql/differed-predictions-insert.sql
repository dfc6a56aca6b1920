-- in:   the columns of differed_predictions (differed-predictions.ts)
-- out:  nothing
-- why:  an order is recorded first once; written again after an unknown outcome, it finds its own rows
insert into differed_predictions (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
on conflict (user_id, order_id) do nothing
