-- name: rows-states
-- in:   $1 keys
-- out:  key, fingerprint and state_version of those that are stored
-- why:  which of two states is newer is decided under a lock (decision 71); a dry run reads without :lock
select :key as key, :fingerprint as fingerprint, state_version
from :table
where :key = any ($1::text[])
order by :key
:lock

-- name: rows-raise-versions
-- in:   $1 keys and $2 the versions of their states, in pairs
-- out:  nothing
-- why:  a version may rise although nothing else has changed; few senders use versions, so the upserts themselves do not deal with them
update :table as r
set state_version = raised.state_version
from unnest($1::text[], $2::bigint[]) as raised (key, state_version)
where r.:key = raised.key

-- name: rows-forget-version
-- in:   $1 a key
-- out:  a row if the record exists: had_version, whether there was one to clear
-- why:  a version sent too high by mistake would block every later state
with forgotten as (
  update :table set state_version = null where :key = $1::text and state_version is not null returning 1 as one
)
select exists (select from forgotten) as had_version from :table where :key = $1::text
