-- name: settings-list
-- in:   nothing
-- out:  every shop setting that differs from its default: key, value as JSON, when and by whom it was set
-- why:  a service keeps the settings in memory: there are few, and they rarely change
select key, value::text as value, to_char(changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, changed_by
from settings
order by key

-- name: settings-upsert
-- in:   $1 keys, $2 values as JSON, $3 the moment, $4 by whom
-- out:  nothing
-- why:  one statement for all settings of a request
insert into settings (key, value, changed_at, changed_by)
select key, value::json, $3::timestamptz, $4::text
from unnest($1::text[], $2::text[]) as incoming (key, value)
on conflict (key) do update set value = excluded.value, changed_at = excluded.changed_at, changed_by = excluded.changed_by

-- name: settings-delete
-- in:   $1 keys
-- out:  a row for each that was stored
-- why:  a setting that is not stored has its default
delete from settings where key = any ($1::text[]) returning key
