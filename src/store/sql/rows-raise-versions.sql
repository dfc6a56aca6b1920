-- in:   $1 keys and $2 the versions of their states, in pairs
-- out:  nothing
-- why:  a version may rise where nothing else has changed; few senders use versions, so the upserts of all others know nothing of them
update :table as r
set state_version = raised.state_version
from unnest($1::text[], $2::bigint[]) as raised (key, state_version)
where r.:key = raised.key
