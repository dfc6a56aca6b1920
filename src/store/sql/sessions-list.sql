-- in:   $1 the moment, $2 the moment after which a session must have been used, $3 limit
-- out:  the sessions valid at $1, newest first, with the name of the token; moments as RFC 3339
-- why:  the service keeps them in memory; a session ends with its token
select session_id, encode(sessions.digest, 'hex') as digest, sessions.token_id, tokens.name as token_name, browser,
  to_char(sessions.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(sessions.last_used_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_used_at,
  to_char(sessions.expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at
from sessions left join tokens on tokens.token_id = sessions.token_id
where sessions.expires_at > $1::timestamptz and sessions.last_used_at > $2::timestamptz
  and tokens.revoked_at is null and (tokens.expires_at is null or tokens.expires_at > $1::timestamptz)
order by sessions.created_at desc, session_id
limit $3::bigint
