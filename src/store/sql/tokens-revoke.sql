-- in:   $1 token id, $2 the moment
-- out:  one row if the token exists; an earlier revocation keeps its moment
-- why:  revoking twice is not an error
update tokens set revoked_at = coalesce(revoked_at, $2::timestamptz)
where token_id = $1::text
returning token_id
