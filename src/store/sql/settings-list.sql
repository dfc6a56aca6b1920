-- in:   nothing
-- out:  every shop setting that differs from its default: key, value as JSON, when and by whom it was set
-- why:  a service keeps the settings in memory: there are few, and they rarely change
select key, value::text as value, to_char(changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, changed_by
from settings
order by key
