-- in:   e, entries of one player
-- out:  the columns of a query that groups by `movement-terms`: day and terms, and what was given and spent, points as texts
-- why:  one meaning of a balance for all who compute one; entries from before there were days count on the day of UTC, those without terms at once and for ever
coalesce(e.day, (e.at at time zone 'utc')::date)::text as day,
  coalesce(e.usable_on, e.day, (e.at at time zone 'utc')::date)::text as usable_on,
  coalesce(e.expires_on, 'infinity')::text as expires_on, coalesce(e.slides, false) as slides,
  coalesce(sum(e.points) filter (where not (e.kind = 'redemption' or (e.kind = 'adjustment' and (e.points < 0) <> (e.change is not distinct from 'undone')))), 0)::text as given,
  coalesce(-sum(e.points) filter (where e.kind = 'redemption' or (e.kind = 'adjustment' and (e.points < 0) <> (e.change is not distinct from 'undone'))), 0)::text as spent
