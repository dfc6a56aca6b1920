-- in:   $1 user ids, $2 order ids and $3 redemption ids, empty where there is none: a question each
-- out:  place (from 1) and kind: movements of all entries but the order's, what the order itself has spent by day (own), holds and the redemption asked for
-- why:  what a player may spend, beside one order; one statement for all questions
with asked as (
  select user_id, order_id, redemption_id, place::int as place
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (user_id, order_id, redemption_id, place)
)
select asked.place, 'movement' as kind, m.day, m.usable_on, m.expires_on, m.slides, m.given, m.spent, null::json as redemption
from asked
cross join lateral (
  select
    -- include: movement
  from entries e
  where e.user_id = asked.user_id and (e.order_id is distinct from asked.order_id or e.kind = 'reinstated')
  group by
    -- include: movement-terms
) as m
union all
select asked.place, 'own', o.day::text, null, null, null, null, o.spent::text, null
from asked
cross join lateral (
  select e.day, -sum(e.points) as spent
  from entries e
  where asked.order_id <> '' and e.user_id = asked.user_id and e.order_id = asked.order_id and e.kind = 'redemption'
  group by e.day
) as o
union all
select asked.place, 'redemption', null, null, null, null, null, null,
  -- include: redemption
from asked
join redemptions r on r.user_id = asked.user_id and (r.state = 'held' or r.redemption_id = asked.redemption_id)
