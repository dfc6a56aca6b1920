-- in:   $1 the last user id of the page before, $2 how many players, $3 a moment
-- out:  of these players by day and terms what was given and spent, what is held at the moment as if it were spent; and a row with the last one's id alone
-- why:  balances of everybody as they stand, a page of players in one statement; nothing is indexed for it
with page as materialized (
  select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint
)
select p.user_id, m.*, false as is_held, null as last
from page p
cross join lateral (
  select
    -- include: movement
  from entries e
  where e.user_id = p.user_id
  group by
    -- include: movement-terms
) as m
union all
select r.user_id, r.held_on::text, r.held_on::text, 'infinity', false, '0', r.points::text, true, null
from page p
join redemptions r on r.user_id = p.user_id and r.state = 'held' and r.held_until > $3::timestamptz
union all
select null, null, null, null, null, null, null, false, max(user_id) from page
