-- name: rows-states
-- in:   $1 keys
-- out:  key, fingerprint and state_version of those that are stored
-- why:  a dry run decides without a lock which of two states is newer
select :key as key, :fingerprint as fingerprint, state_version
from :table
where :key = any ($1::text[])

-- name: rows-lock
-- in:   $1 keys
-- out:  the same, locked until the transaction ends
-- why:  which of two states is newer is decided under a lock (decision 71)
select :key as key, :fingerprint as fingerprint, state_version
from :table
where :key = any ($1::text[])
order by :key
for update

-- on a cluster: rows-lock
-- why:  rows of several servers are locked only by writing them
update :table set rev = rev
where :key = any ($1::text[])
returning :key as key, :fingerprint as fingerprint, state_version

-- name: rows-raise-versions
-- in:   $1 keys and $2 the versions of their states, in pairs
-- out:  nothing
-- why:  a version may rise although nothing else has changed; few senders use versions, so the upserts themselves do not deal with them
update :table as r
set state_version = raised.state_version
from unnest($1::text[], $2::bigint[]) as raised (key, state_version)
where r.:key = raised.key and r.:key = any ($1::text[])

-- name: rows-forget-version
-- in:   $1 a key
-- out:  a row if the record exists: had_version, whether there was one to clear
-- why:  a version sent too high by mistake would block every later state
with forgotten as (
  update :table set state_version = null where :key = $1::text and state_version is not null returning 1 as one
)
select exists (select 1 from forgotten) as had_version from :table where :key = $1::text
