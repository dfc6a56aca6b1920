-- name: acts-insert
-- in:   $1 the moment, $2 ids, $3 by whom, $4 what, $5 on what, $6 details as JSON
-- out:  nothing
-- why:  one statement for all acts of a request; a retry after an unknown outcome leaves existing ones alone, and so does a later slice
insert into acts (at, act_id, by, act, subject, detail)
select $1::timestamptz, act_id, $3::text, $4::text, subject, detail::json
from unnest($2::text[], $5::text[], $6::text[]) as incoming (act_id, subject, detail)
on conflict (at, act_id) do nothing

-- name: acts-try-insert
-- in:   $1 the moment, $2 an id
-- out:  one row if no act is stored under this key
-- why:  waits for a transaction that is still storing one; rolled back at once
insert into acts (at, act_id, by, act, subject, detail)
values ($1::timestamptz, $2::text, '', '', '', '{}')
on conflict (at, act_id) do nothing
returning act_id

-- name: acts-page
-- in:   $1 and $2 the moment and id of the previous page's last act, $3 limit, $4 the id or name of a token, $5 a kind of act; $4 and $5 null: any
-- out:  older acts, newest first, with the token's name; moments as RFC 3339, details as JSON
-- why:  the key gives the order, so no page costs more than the first; acts are made by hand, so filtering needs no index
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, act_id, by, tokens.name as by_name, act, subject, detail::text as detail
from acts left join tokens on tokens.token_id = acts.by
where (acts.at, act_id) < ($1::timestamptz, $2::text)
  and (acts.by = $4::text or tokens.name = $4::text or $4::text is null) and (act = $5::text or $5::text is null)
order by acts.at desc, act_id desc
limit $3::bigint

-- name: acts-delete
-- in:   $1 a moment, $2 how many at most
-- out:  one row: deleted, how many acts from before the moment were deleted
-- why:  in slices, oldest first, so that nobody waits long for the database
with gone as (
  delete from acts
  where (at, act_id) in (
    select at, act_id from acts where at < $1::timestamptz order by at, act_id limit $2::bigint
  )
  returning 1
)
select count(*) as deleted from gone

-- name: acts-count
-- in:   $1 a moment
-- out:  one row: how many acts are from before the moment
-- why:  told before they are deleted
select count(*) as acts from acts where at < $1::timestamptz
