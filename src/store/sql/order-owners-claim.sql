-- in:   $1 order ids (each at most once, sorted), $2 the players they are recorded for
-- out:  a row for each that is now theirs; one that another request has claimed is missing
-- why:  an order id has one owner over all players
insert into order_owners (order_id, user_id)
select order_id, user_id
from unnest($1::text[], $2::text[]) with ordinality as incoming (order_id, user_id, place)
order by place -- As COPY takes them: by the same order, nobody waits in a circle.
on conflict (order_id) do nothing
returning order_id
