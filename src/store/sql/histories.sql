-- in:   one question per position: $1 user ids, $2 order ids and $3 redemption ids, the last two empty if there is none
-- out:  place (from 1); given: all entries but the order's, packed, and the sum of the reinstated ones among them; own: what the order itself has spent; redemptions: all holds and the redemption asked for; both as JSON lists
-- why:  what a player may spend, apart from one order; one statement for all questions. Written with joins, a single question takes twice as long, mostly planning (bench/NOTES.md)
select asked.place::int as place,
  (
    select json_build_array(
      -- include: packed-movements
      , sum(reinstated)::text
    )
    from (
      select
        -- include: movement
        , sum(e.points) filter (where e.kind = 'reinstated') as reinstated
      from entries e
      where e.user_id = asked.user_id and (e.order_id is distinct from asked.order_id or e.kind = 'reinstated')
      group by 1, 2, 3, 4, 5
    ) as by_day
  ) as given,
  (
    select json_agg(json_build_array(e.day::text, (-e.points)::text))
    from entries e
    where asked.order_id <> '' and e.user_id = asked.user_id and e.order_id = asked.order_id and e.kind = 'redemption'
  ) as own,
  (
    select json_agg(
      -- include: redemption
    )
    from redemptions r
    where r.user_id = asked.user_id and (r.state = 'held' or r.redemption_id = asked.redemption_id)
  ) as redemptions
from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (user_id, order_id, redemption_id, place)
