-- in:   $1 user ids, $2 order ids, $3 and $4 two moments for each
-- out:  place (from 1), points as text and level_after of its last prediction in ($3, $4]; no row where none is kept
-- why:  one index lookup for each order, however often it was predicted
select asked.place, last.points::text as points, last.level_after
from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality
  as asked (user_id, order_id, since, until, place)
cross join lateral (
  select p.points, p.level_after
  from predictions as p
  where p.user_id = asked.user_id and p.order_id = asked.order_id and p.predicted_at > asked.since
    and p.predicted_at <= asked.until
  order by p.predicted_at desc, p.prediction_id desc
  limit 1
) as last
