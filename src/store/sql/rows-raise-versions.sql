-- in:   $1 keys and $2 the versions of their states, in pairs
-- out:  nothing
-- why:  a version may rise although nothing else has changed; few senders use versions, so the upserts themselves do not deal with them
update :table as r
set state_version = raised.state_version
from unnest($1::text[], $2::bigint[]) as raised (key, state_version)
where r.:key = raised.key
