-- name: later-ends-revoke
-- in:   $1 token ids, $2 when each was revoked
-- out:  a row for each token that was still valid
-- why:  an earlier backup brings revoked tokens back
update tokens set revoked_at = later.at
from unnest($1::text[], $2::timestamptz[]) as later (token_id, at)
where tokens.token_id = later.token_id and tokens.revoked_at is null
returning tokens.token_id

-- name: later-ends-ids
-- in:   $1 the previous page's last id, $2 limit
-- out:  the next ids of players
-- why:  erased people are known only by the digests of their ids
select user_id from players where user_id > $1::text order by user_id limit $2::bigint
