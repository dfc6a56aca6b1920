-- in:   the columns of orders (orders.ts), and the moment of the request
-- out:  nothing
-- why:  the state of an order is its last revision; what it gave before stands in the entries. A version may rise without a revision
insert into orders (:columns, recorded_at, updated_at)
select :columns, :now, :now
from unnest(:lists) as incoming (:columns)
on conflict (user_id, order_id) do update set :updates,
  updated_at = case when orders.rev < excluded.rev then excluded.updated_at else orders.updated_at end
