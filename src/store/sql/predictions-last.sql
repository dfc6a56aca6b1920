-- in:   $1 user ids, $2 order ids, $3 and $4 two moments for each
-- out:  place (from 1) and predicted, the order's last prediction in ($3, $4] as an object; no row if none is stored
-- why:  one index lookup per order, however often it was predicted
select asked.place, last.predicted
from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality
  as asked (user_id, order_id, since, until, place)
cross join lateral (
  select jsonb_build_object(
    'points', p.points::text, 'level_after', p.level_after, 'referred', p.referred, 'program', p.program_version,
    'at', to_char(p.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'order', encode(p.order_digest, 'hex'), 'player', encode(p.player_digest, 'hex'), 'prices', encode(p.prices_digest, 'hex')
  ) as predicted
  from predictions as p
  where p.user_id = asked.user_id and p.order_id = asked.order_id and p.predicted_at > asked.since
    and p.predicted_at <= asked.until
  order by p.predicted_at desc, p.prediction_id desc
  limit 1
) as last
