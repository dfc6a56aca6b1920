-- in:   $1 a user id, $2 a moment
-- out:  for each day and terms of the entries recorded up to the moment what was given and spent
-- why:  the balance of a day, as it was known at a moment
select
  -- include: movement
from entries e
where e.user_id = $1::text and e.recorded_at <= $2::timestamptz
group by
  -- include: movement-terms
