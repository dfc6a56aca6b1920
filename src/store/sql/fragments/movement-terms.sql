-- in:   e, entries
-- out:  what the first four columns of `movement` are made of
-- why:  days are compared as days: as the texts that they are answered as, grouping an account of 100,000 entries takes half as long again
coalesce(e.day, (e.at at time zone 'utc')::date), coalesce(e.usable_on, e.day, (e.at at time zone 'utc')::date),
  coalesce(e.expires_on, 'infinity'), coalesce(e.slides, false)
