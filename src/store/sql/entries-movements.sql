-- in:   $1 a user id, $2 a moment
-- out:  movements, packed: the entries recorded up to the moment, summed by day and terms
-- why:  the balance on a day, as known at a moment
select
  -- include: packed-movements
  as movements
from (
  select
    -- include: movement
  from entries e
  where e.user_id = $1::text and e.recorded_at <= $2::timestamptz
  group by 1, 2, 3, 4, 5
) as m
