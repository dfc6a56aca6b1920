-- in:   e, entries
-- out:  the columns of a query that groups by the first five: day and terms, whether points were spent, and the signed sum of points, negative if spent or taken back
-- why:  one definition of a balance for all statements; entries without a day count on their UTC day, those without terms at once and for ever
coalesce(e.day, (e.at at time zone 'utc')::date) as day,
  coalesce(e.usable_on, e.day, (e.at at time zone 'utc')::date) as usable_on,
  coalesce(e.expires_on, 'infinity') as expires_on, coalesce(e.slides, false) as slides,
  e.kind = 'redemption' or (e.kind = 'adjustment' and (e.points < 0) <> (e.change is not distinct from 'undone')) as is_spent,
  sum(e.points) as points
