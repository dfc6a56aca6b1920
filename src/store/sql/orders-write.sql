-- in:   the columns of orders (orders.ts), and the moment of the request
-- out:  nothing
-- why:  a row holds the latest revision of an order; the entries hold what earlier ones gave. The state version may rise without a new revision
insert into orders (:columns, recorded_at, updated_at)
select :columns, :now, :now
from unnest(:lists) as incoming (:columns)
on conflict (user_id, order_id) do update set :updates,
  updated_at = case when orders.rev < excluded.rev then excluded.updated_at else orders.updated_at end
