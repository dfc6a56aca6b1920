-- in:   $1 token id
-- out:  one row if there is such a token: its name, scopes and end
-- why:  a rotation whose outcome stayed unknown is run again, and must find the token that it has issued
select name, scopes, to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at
from tokens
where token_id = $1::text
