-- in:   $1 a user id
-- out:  the player as stored; no row if unknown
-- why:  one player, for display
select
  -- include: stored-player
from players
where user_id = $1::text
