-- in:   $1 the previous page's last user id, $2 how many players, $3 a moment
-- out:  a row for each of these players with movements or holds: movements, packed, and the holds open at $3 as a JSON list of [day, points]; and one row with only the last player's id
-- why:  everyone's current balance, one statement for a page of players; needs no index of its own
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
