-- in:   $1 digest in hex, $2 the moment, $3 the session that it opens
-- out:  one row with the id of its token, if the code is valid and not used by another session
-- why:  if two requests send the same code at once, only one succeeds; a retry finds its own use
update sign_in_codes set used_by = $3::text
where digest = decode($1::text, 'hex') and expires_at > $2::timestamptz and (used_by is null or used_by = $3::text)
returning token_id
