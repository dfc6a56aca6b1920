-- name: programs-list
-- in:   nothing
-- out:  all published versions, oldest first; holds_from is RFC 3339 or -infinity, withdrawn_at and withdrawn_by are null unless withdrawn
-- why:  a service keeps the programs in memory: there are few, and they rarely change
select version, name, publisher, note, source,
  case when isfinite(holds_from) then to_char(holds_from at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') else holds_from::text end as holds_from,
  to_char(published_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as published_at,
  to_char(withdrawn_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as withdrawn_at,
  withdrawn_by, rounds_first_days
from programs
order by version

-- name: programs-insert
-- in:   $1 name, $2 publisher, $3 note, $4 the moment from which it is in effect, $5 source, $6 the moment of publication
-- out:  one row: the version
-- why:  the next number is unique because the caller holds the table lock
insert into programs (version, name, publisher, note, holds_from, source, published_at, rounds_first_days)
select coalesce(max(version), 0) + 1, $1::text, $2::text, $3::text, $4::timestamptz, $5::text, $6::timestamptz, true
from programs
returning version

-- name: programs-withdraw
-- in:   $1 version, $2 the moment of withdrawal, $3 by whom
-- out:  nothing
-- why:  the version stays listed and its number taken, but it is never in effect
update programs set withdrawn_at = $2::timestamptz, withdrawn_by = $3::text where version = $1::bigint

-- name: programs-fingerprint
-- in:   nothing
-- out:  one row: the numbers of published and of withdrawn versions, as one text
-- why:  both only grow, and versions change in no other way: while the text stays the same there is nothing to reload
select count(*) || '/' || count(withdrawn_at) as fingerprint from programs

-- name: programs-insert-first
-- in:   $1 name, $2 publisher, $3 note, $4 source, $5 the moment of publication
-- out:  nothing; writes only if no program was ever published
-- why:  two services starting on the same empty database must not both publish a first version
insert into programs (version, name, publisher, note, holds_from, source, published_at, rounds_first_days)
select 1, $1::text, $2::text, $3::text, '-infinity', $4::text, $5::timestamptz, true
where not exists (select 1 from programs)
on conflict (version) do nothing
