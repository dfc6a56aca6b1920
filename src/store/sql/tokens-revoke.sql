-- in:   $1 token id, $2 the moment
-- out:  one row if there is such a token; revoked before stays revoked since then
-- why:  revoking twice is no error
update tokens set revoked_at = coalesce(revoked_at, $2::timestamptz)
where token_id = $1::text
returning token_id
