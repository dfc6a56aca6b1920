-- in:   $1 token id, $2 the moment
-- out:  one row if the token was good until now: its name, scopes and end
-- why:  of two rotations at the same moment only one may replace it
update tokens set revoked_at = $2::timestamptz
where token_id = $1::text and revoked_at is null and (expires_at is null or expires_at > $2::timestamptz)
returning name, scopes, to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at
