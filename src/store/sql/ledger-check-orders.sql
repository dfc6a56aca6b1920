-- in:   $1 and $2 the last player and order of the page before, $3 how many orders
-- out:  a row for each order: all of it, its owner, and its player's first order
-- why:  each is computed anew by its program, beside what is stored of it
select o.user_id, o.order_id, w.user_id as owner_id, a.first_order_id,
  jsonb_build_object(
    'at', to_char(o.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'state', o.state, 'facts', o.facts, 'program', o.program_version, 'points', o.points::text,
    'referrer_id', o.referrer_id, 'referrer_points', o.referrer_points::text, 'rev', o.rev::text,
    'recorded_at', to_char(o.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'first', o.first_digests
  ) as facts
from (
  select *
  from orders
  where (user_id, order_id) > ($1::text, $2::text)
  order by user_id, order_id
  limit $3::bigint
) as o
left join order_owners w on w.order_id = o.order_id
left join accounts a on a.user_id = o.user_id
order by o.user_id, o.order_id
