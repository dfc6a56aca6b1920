-- in:   $1 token ids, $2 the hour in which each was last used
-- out:  nothing
-- why:  several processes report what they have seen; the latest hour wins
update tokens set last_used_at = greatest(last_used_at, used.hour)
from unnest($1::text[], $2::timestamptz[]) as used (token_id, hour)
where tokens.token_id = used.token_id
