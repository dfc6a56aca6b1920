-- in:   $1 the last user id of the page before, $2 how many players, $3 a moment
-- out:  a row for each of these players who has movements or holds: movements, as packed, and what is held at the moment, a JSON list of [day, points]; and a row with only the last player's id
-- why:  balances of everybody as they stand, a page of players in one statement; nothing is indexed for it
with page as materialized (
  select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint
)
select m.movements, h.holds, null as last
from page p
cross join lateral (
  select
    -- include: packed-movements
    as movements
  from (
    select
      -- include: movement
    from entries e
    where e.user_id = p.user_id
    group by 1, 2, 3, 4, 5
  ) as by_day
) as m
cross join lateral (
  select json_agg(json_build_array(r.held_on::text, r.points::text)) as holds
  from redemptions r
  where r.user_id = p.user_id and r.state = 'held' and r.held_until > $3::timestamptz
) as h
where m.movements is not null or h.holds is not null
union all
select null, null, max(user_id) from page
