-- in:   $1 draft id, $2 name, $3 source, $4 cases, $5 the version it is based on or null, $6 the moment, $7 by whom, $8 the maximum number of drafts
-- out:  one row if there was room
-- why:  a retry after an unknown outcome writes the same row again and must succeed
insert into drafts (draft_id, name, source, cases, based_on, revision, created_at, created_by, changed_at, changed_by)
select $1::text, $2::text, $3::text, $4::text, $5::integer, 1, $6::timestamptz, $7::text, $6::timestamptz, $7::text
where (select count(*) from drafts where draft_id <> $1::text) < $8::bigint
on conflict (draft_id) do update set draft_id = excluded.draft_id
returning draft_id
