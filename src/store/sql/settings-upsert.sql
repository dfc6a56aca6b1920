-- in:   $1 keys, $2 values as JSON, $3 the moment, $4 by whom
-- out:  nothing
-- why:  one statement for all settings of a request
insert into settings (key, value, changed_at, changed_by)
select key, value::json, $3::timestamptz, $4::text
from unnest($1::text[], $2::text[]) as incoming (key, value)
on conflict (key) do update set value = excluded.value, changed_at = excluded.changed_at, changed_by = excluded.changed_by
