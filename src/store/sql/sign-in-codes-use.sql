-- in:   $1 digest in hex, $2 the moment, $3 the session that it opens
-- out:  one row if the code is good, and was not used by another session: whose token it has
-- why:  of two who send one code at the same moment only one is let in, and a retry finds its own
update sign_in_codes set used_by = $3::text
where digest = decode($1::text, 'hex') and expires_at > $2::timestamptz and (used_by is null or used_by = $3::text)
returning token_id
