-- in:   $1 and $2 the last player and order of the page before, $3 how many orders
-- out:  a row for each order: all of it, its owner, its player's first order, and what entries give the player and the referrer
-- why:  each is computed anew by its program, beside what is stored and what its entries sum to, in one snapshot
with page as (
  select *
  from orders
  where (user_id, order_id) > ($1::text, $2::text)
  order by user_id, order_id
  limit $3::bigint
),
own as (
  select e.user_id, e.order_id, sum(e.points) as points
  from entries e
  where e.kind = 'order' and e.user_id in (select user_id from page)
  group by e.user_id, e.order_id
),
referrers as (
  select e.user_id, e.order_id, sum(e.points) as points
  from entries e
  where e.kind = 'referral' and e.user_id in (select referrer_id from page)
  group by e.user_id, e.order_id
)
select o.user_id, o.order_id, w.user_id as owner_id, a.first_order_id,
  jsonb_build_object(
    'at', to_char(o.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'state', o.state, 'facts', o.facts, 'program', o.program_version, 'points', o.points::text,
    'referrer_id', o.referrer_id, 'referrer_points', o.referrer_points::text, 'rev', o.rev::text
  ) as facts,
  own.points::text as given, referrers.points::text as given_to_referrer
from page o
left join order_owners w on w.order_id = o.order_id
left join accounts a on a.user_id = o.user_id
left join own on own.user_id = o.user_id and own.order_id = o.order_id
left join referrers on referrers.user_id = o.referrer_id and referrers.order_id = o.order_id
order by o.user_id, o.order_id
