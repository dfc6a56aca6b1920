-- name: sessions-list
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

-- name: sessions-insert
-- in:   $1 session id, $2 digest in hex, $3 token id, $4 browser, $5 the moment, $6 when it ends
-- out:  nothing
-- why:  the digest is enough to recognise a cookie
insert into sessions (session_id, digest, token_id, browser, created_at, last_used_at, expires_at)
values ($1::text, decode($2::text, 'hex'), $3::text, $4::text, $5::timestamptz, $5::timestamptz, $6::timestamptz)

-- name: sessions-prune
-- in:   $1 the moment, $2 the moment after which a session must have been used, $3 how many sessions a token may have
-- out:  nothing
-- why:  each sign-in deletes expired sessions, and the oldest of a token that signs in again and again
with numbered as (
  select session_id, row_number() over (partition by token_id order by created_at desc, session_id) as place from sessions
)
delete from sessions using numbered
where sessions.session_id = numbered.session_id
  and (expires_at <= $1::timestamptz or last_used_at <= $2::timestamptz or place > $3::bigint)

-- name: sessions-end
-- in:   $1 session id
-- out:  one row if the session existed
-- why:  an ended session is deleted; the acts keep a record of it
delete from sessions where session_id = $1::text returning session_id

-- name: sessions-used
-- in:   $1 session ids, $2 when each was last used
-- out:  nothing
-- why:  several processes report what they have seen; the latest moment wins
update sessions set last_used_at = greatest(last_used_at, used.at)
from unnest($1::text[], $2::timestamptz[]) as used (session_id, at)
where sessions.session_id = used.session_id

-- name: sign-in-codes-insert
-- in:   $1 digest in hex, $2 token id, $3 the moment, $4 when it expires, $5 how many others are kept at most
-- out:  nothing
-- why:  a new code deletes expired ones, and the oldest if there are too many
with gone as (
  delete from sign_in_codes
  where expires_at <= $3::timestamptz
    or digest in (select digest from sign_in_codes order by expires_at desc, digest offset $5::bigint)
)
insert into sign_in_codes (digest, token_id, expires_at)
values (decode($1::text, 'hex'), $2::text, $4::timestamptz)
on conflict (digest) do nothing

-- name: sign-in-codes-use
-- in:   $1 digest in hex, $2 the moment, $3 the session that it opens
-- out:  one row with the id of its token, if the code is valid and has not been used
-- why:  if two requests send the same code at once, only one succeeds
update sign_in_codes set used_by = $3::text
where digest = decode($1::text, 'hex') and expires_at > $2::timestamptz and used_by is null
returning token_id
