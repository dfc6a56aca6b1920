-- in:   $1 user ids (each at most once), $2 points, $3 counted points, $4 orders, $5 entries, $6 first orders, $7 revs
-- out:  a row for each account that was written; one that has moved on since it was read is missing
-- why:  two writers must not both build on the same account
insert into accounts as a (user_id, points, counted, orders, entries, first_order_id, rev)
select user_id, points, counted, orders, entries, first_order_id, rev
from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[]) with ordinality
  as incoming (user_id, points, counted, orders, entries, first_order_id, rev, place)
order by user_id
on conflict (user_id) do update set
  points = excluded.points, counted = excluded.counted, orders = excluded.orders, entries = excluded.entries,
  first_order_id = excluded.first_order_id, rev = excluded.rev
  where a.rev = excluded.rev - 1
returning user_id
