-- in:   $1 limit
-- out:  the tokens, newest first: everything but their text; moments as RFC 3339
-- why:  for the people who manage them
select token_id, name, encode(digest, 'hex') as digest, scopes,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at,
  to_char(revoked_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as revoked_at,
  to_char(last_used_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_used_at
from tokens
order by created_at desc, token_id
limit $1::bigint
