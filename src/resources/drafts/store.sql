-- fragment: draft
-- in:   a row of drafts
-- out:  its columns except the texts; moments as RFC 3339
-- why:  shared by the list, which shows no texts, and a single draft
draft_id as id, name, based_on, revision,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, created_by,
  to_char(changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, changed_by

-- name: drafts-list
-- in:   nothing
-- out:  all drafts without their texts, most recently changed first
-- why:  there are at most 100, so the list needs no pages
select
  -- include: draft
from drafts
order by drafts.changed_at desc, draft_id

-- name: drafts-find
-- in:   $1 draft id
-- out:  one row with the draft's texts, if it exists
-- why:  for whoever continues editing it
select source, cases,
  -- include: draft
from drafts
where draft_id = $1::text

-- name: drafts-lock
-- in:   $1 draft id
-- out:  one row without the draft's texts, if it exists
-- why:  waits for an earlier attempt at changing or deleting it that is still being committed
select
  -- include: draft
from drafts
where draft_id = $1::text
for update

-- name: drafts-insert
-- in:   $1 draft id, $2 name, $3 source, $4 cases, $5 the version it is based on or null, $6 the moment, $7 by whom, $8 the maximum number of drafts
-- out:  one row if there was room
-- why:  a retry after an unknown outcome writes the same row again and must succeed
insert into drafts (draft_id, name, source, cases, based_on, revision, created_at, created_by, changed_at, changed_by)
select $1::text, $2::text, $3::text, $4::text, $5::integer, 1, $6::timestamptz, $7::text, $6::timestamptz, $7::text
where (select count(*) from drafts where draft_id <> $1::text) < $8::bigint
on conflict (draft_id) do update set draft_id = excluded.draft_id
returning draft_id

-- name: drafts-update
-- in:   $1 draft id, $2 the revision that was edited, $3 name, $4 source, $5 cases, $6 the moment, $7 by whom
-- out:  one row if the draft was still at that revision
-- why:  when two people edit the same draft, the second must not overwrite the first unnoticed
update drafts set name = $3::text, source = $4::text, cases = $5::text, revision = revision + 1,
  changed_at = $6::timestamptz, changed_by = $7::text
where draft_id = $1::text and revision = $2::integer
returning draft_id

-- name: drafts-delete
-- in:   $1 draft id
-- out:  one row if the draft existed
-- why:  once published, a program is a version, and its draft is no longer needed
delete from drafts where draft_id = $1::text returning draft_id
