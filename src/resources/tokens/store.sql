-- name: tokens-list
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

-- name: tokens-list-valid
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

-- name: tokens-end
-- in:   $1 token id, $2 the moment, $3 until when it stays valid; equal to $2: it ends at once
-- out:  one row if the token was valid until now: its previous name, scopes and expiry
-- why:  of two simultaneous rotations, only one may replace a token that ends at once
with good as (
  select token_id, name, scopes, expires_at from tokens
  where token_id = $1::text and revoked_at is null and (expires_at is null or expires_at > $2::timestamptz)
  for update
)
update tokens set
  revoked_at = case when $3::timestamptz > $2::timestamptz then null else $2::timestamptz end,
  expires_at = case when $3::timestamptz > $2::timestamptz then least(tokens.expires_at, $3::timestamptz) else tokens.expires_at end
from good
where tokens.token_id = good.token_id
returning good.name, good.scopes, to_char(good.expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at

-- name: tokens-insert
-- in:   $1 token id, $2 name, $3 digest in hex, $4 scopes, $5 the moment, $6 when it expires or null
-- out:  nothing
-- why:  the digest is enough to recognise a token
insert into tokens (token_id, name, digest, scopes, created_at, expires_at)
values ($1::text, $2::text, decode($3::text, 'hex'), to_jsonb($4::text[]), $5::timestamptz, $6::timestamptz)

-- name: tokens-revoke
-- in:   $1 token id, $2 the moment
-- out:  one row if the token exists: is_revoked, whether this has revoked it
-- why:  revoking twice is not an error; an earlier revocation keeps its moment
with revoked as (
  update tokens set revoked_at = $2::timestamptz
  where token_id = $1::text and revoked_at is null
  returning token_id
)
select exists (select 1 from revoked) as is_revoked from tokens where token_id = $1::text

-- name: tokens-any
-- in:   nothing
-- out:  one row: found, whether a token was ever created
-- why:  the first start on an empty database creates one
select exists (select 1 from tokens) as found

-- name: tokens-used
-- in:   $1 token ids, $2 the hour in which each was last used
-- out:  nothing
-- why:  several processes report what they have seen; the latest hour wins
update tokens set last_used_at = greatest(last_used_at, used.hour)
from unnest($1::text[], $2::timestamptz[]) as used (token_id, hour)
where tokens.token_id = used.token_id
