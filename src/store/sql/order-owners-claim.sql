-- in:   $1 order ids (each at most once, sorted), $2 the players they are recorded for
-- out:  a row for each that is now theirs; one that another request has claimed is missing
-- why:  an order id has one owner over all players
insert into order_owners (:columns)
select :columns
from unnest(:lists) with ordinality as incoming (:columns, place)
order by place -- As COPY takes them: by the same order, two requests never wait for each other in a circle.
on conflict (order_id) do nothing
returning order_id
