-- in:   $1 the moment, $2 limit
-- out:  the tokens valid at that moment, oldest first
-- why:  the service keeps them in memory; ended tokens, whose number only grows, must not crowd them out
select token_id, name, encode(digest, 'hex') as digest, scopes,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at,
  null as revoked_at, null as last_used_at
from tokens
where revoked_at is null and (expires_at is null or expires_at > $1::timestamptz)
order by created_at, token_id
limit $2::bigint
