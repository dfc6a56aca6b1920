-- in:   $1 version, $2 the moment of withdrawal, $3 by whom
-- out:  nothing
-- why:  the version stays listed and its number taken, but it is never in effect
update programs set withdrawn_at = $2::timestamptz, withdrawn_by = $3::text where version = $1::bigint
