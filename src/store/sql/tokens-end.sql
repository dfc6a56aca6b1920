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
