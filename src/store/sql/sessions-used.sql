-- in:   $1 session ids, $2 when each was last used
-- out:  nothing
-- why:  several processes report what they have seen; the latest moment wins
update sessions set last_used_at = greatest(last_used_at, used.at)
from unnest($1::text[], $2::timestamptz[]) as used (session_id, at)
where sessions.session_id = used.session_id
