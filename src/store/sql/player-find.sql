-- in:   $1 a user id
-- out:  the player as stored; no row if it was never sent
-- why:  one record for a person who looks at it
select
  -- include: stored-player
from players
where user_id = $1::text
