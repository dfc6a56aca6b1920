-- in:   $1 the moment, $2 ids, $3 by whom, $4 what, $5 on what, $6 details as JSON
-- out:  nothing
-- why:  one statement for all acts of a request; a retry after an unknown outcome leaves existing ones alone
insert into acts (at, act_id, by, act, subject, detail)
select $1::timestamptz, act_id, $3::text, $4::text, subject, detail::json
from unnest($2::text[], $5::text[], $6::text[]) as incoming (act_id, subject, detail)
on conflict (at, act_id) do nothing
