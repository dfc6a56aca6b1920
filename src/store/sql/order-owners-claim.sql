-- in:   $1 order ids (each at most once, sorted), $2 the players they are recorded for
-- out:  a row for each order id claimed; those that another request has claimed are missing
-- why:  an order id belongs to exactly one player
insert into order_owners (:columns)
select :columns
from unnest(:lists) with ordinality as incoming (:columns, place)
order by place -- The same order as with COPY, so that requests never deadlock.
on conflict (order_id) do nothing
returning order_id
