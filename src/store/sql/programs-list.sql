-- in:   nothing
-- out:  all published versions, oldest first; holds_from is RFC 3339 or -infinity, withdrawn_at and withdrawn_by are null unless withdrawn
-- why:  a service keeps the programs in memory: there are few, and they rarely change
select version, name, publisher, note, source,
  case when isfinite(holds_from) then to_char(holds_from at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') else holds_from::text end as holds_from,
  to_char(published_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as published_at,
  to_char(withdrawn_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as withdrawn_at,
  withdrawn_by
from programs
order by version
