-- in:   $1 a user id, $2 a moment
-- out:  for each day and terms of the entries recorded up to the moment what was given and spent, points as texts
-- why:  a balance is computed of these; entries from before there were days count on the day of UTC, and those without terms at once and for ever
select day::text as day, coalesce(usable_on, day)::text as usable_on, expires_on::text as expires_on, slides,
  coalesce(sum(points) filter (where not is_spent), 0)::text as given, coalesce(-sum(points) filter (where is_spent), 0)::text as spent
from (
  select coalesce(day, (at at time zone 'utc')::date) as day, usable_on, coalesce(expires_on, 'infinity') as expires_on,
    coalesce(slides, false) as slides, points, kind = 'adjustment' and points < 0 as is_spent
  from entries
  where user_id = $1::text and recorded_at <= $2::timestamptz
) as e
group by e.day, coalesce(e.usable_on, e.day), e.expires_on, e.slides
