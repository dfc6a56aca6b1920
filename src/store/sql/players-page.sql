-- in:   $1 the last user id of the page before, $2 and $3 the first and the last id that a prefix allows, $4 how many players
-- out:  players as stored, in the order of their ids
-- why:  all players by key, a page at a time: no page costs more than the first
select
  -- include: stored-player
from players
where user_id > $1::text and user_id >= $2::text and user_id <= $3::text
order by user_id
limit $4::bigint
