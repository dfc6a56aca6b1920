-- in:   $1 user ids and $2 order ids, in pairs
-- out:  place (from 1) and facts, all of the order; no row where none is recorded
-- why:  what an order was computed from, where it came to something else than predicted: few are asked for
select asked.place,
  jsonb_build_object(
    'at', to_char(o.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'state', o.state, 'facts', o.facts, 'program', o.program_version, 'points', o.points::text,
    'referrer_id', o.referrer_id, 'referrer_points', o.referrer_points::text, 'rev', o.rev::text,
    'recorded_at', to_char(o.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'first', o.first_digests
  ) as facts
from unnest($1::text[], $2::text[]) with ordinality as asked (user_id, order_id, place)
join orders o on o.user_id = asked.user_id and o.order_id = asked.order_id
