-- in:   e, entries
-- out:  five columns: day and terms, and whether points were spent. A movement has these and `points`, negative if spent or taken back: those of an entry, or the sum over entries with equal columns
-- why:  one definition of a balance for all statements; entries without a day count on their UTC day, those without terms at once and for ever
coalesce(e.day, (e.at at time zone 'utc')::date) as day,
  coalesce(e.usable_on, e.day, (e.at at time zone 'utc')::date) as usable_on,
  coalesce(e.expires_on, 'infinity') as expires_on, coalesce(e.slides, false) as slides,
  e.kind = 'redemption' or (e.kind = 'adjustment' and (e.points < 0) <> (e.change is not distinct from 'undone')) as is_spent
