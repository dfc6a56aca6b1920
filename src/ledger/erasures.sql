-- name: erasures-find
-- in:   $1 digests in hex
-- out:  digest and moved_to of those that are stored
-- why:  asked only for e-mail addresses and phone numbers that are no player's id: every other erased player still has a row
select encode(digest, 'hex') as digest, moved_to
from erasures
where digest = any (select decode(sent, 'hex') from unnest($1::text[]) as sent)

-- name: erasures-none
-- in:   $1 digests in hex
-- out:  one row, none if one of them is stored
-- why:  a player who was erased under a new id while a request computed with the old one must not get the old one back
select 1 as one
where not exists (select 1 from erasures where digest = any (select decode(sent, 'hex') from unnest($1::text[]) as sent))

-- name: erasures-drop
-- in:   $1 user ids and $2 their digests in hex, in pairs
-- out:  nothing; deletes the players, and accounts without entries, that were written under ids that were replaced meanwhile
-- why:  the record came first, as if it had been erased with the rest
with replaced as materialized (
  select sent.user_id
  from unnest($1::text[], $2::text[]) as sent (user_id, digest)
  join erasures on erasures.digest = decode(sent.digest, 'hex')
),
accounts_gone as (
  delete from accounts where user_id = any ($1::text[]) and user_id in (select user_id from replaced) and entries = 0
)
delete from players where user_id = any ($1::text[]) and user_id in (select user_id from replaced)

-- name: erasures-check
-- in:   $1 the digest of the empty text in hex, or an empty text
-- out:  one row: whether anybody was erased, and whether the digest is made with the key that they were erased with
-- why:  with another key nobody who was erased would be recognised
select exists (select 1 from erasures) as has_any,
  exists (select 1 from erasures where digest = decode($1::text, 'hex')) as is_ours

-- name: erasures-insert
-- in:   $1 the digest of the empty text and $2 that of the id, in hex; $3 the moment, $4 by whom, $5 the new id or null
-- out:  nothing
-- why:  the first row of all tells later which key was used
insert into erasures (digest, erased_at, erased_by, moved_to)
values (decode($1::text, 'hex'), $3::timestamptz, $4::text, null), (decode($2::text, 'hex'), $3::timestamptz, $4::text, $5::text)
on conflict (digest) do nothing

-- name: erasures-reopen
-- in:   $1 user ids, $2 their digests in hex; the latter empty without a key
-- out:  nothing; the ids may be sent again
-- why:  only the mark of the erasure goes; what was blanked stays so until the record is written
with gone as (
  delete from erasures where digest = any (select decode(sent, 'hex') from unnest($2::text[]) as sent)
)
update players set row_hash = '' where user_id = any ($1::text[]) and row_hash = '\x00'
