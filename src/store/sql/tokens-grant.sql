-- in:   $1 token id
-- out:  one row if the token exists: its name, scopes and expiry
-- why:  a rotation retried after an unknown outcome must find the token that it has already issued
select name, scopes, to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at
from tokens
where token_id = $1::text
