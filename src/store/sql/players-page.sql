-- in:   $1 the previous page's last user id, $2 and $3 the lowest and highest id with a prefix, $4 limit
-- out:  players as stored, by id
-- why:  a page of all players, by key: no page costs more than the first
select
  -- include: stored-player
from players
where user_id > $1::text and user_id >= $2::text and user_id <= $3::text
order by user_id
limit $4::bigint
