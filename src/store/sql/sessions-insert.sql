-- in:   $1 session id, $2 digest in hex, $3 token id, $4 browser, $5 the moment, $6 when it ends
-- out:  nothing
-- why:  a retry after an unknown outcome writes the same row again and must succeed
insert into sessions (session_id, digest, token_id, browser, created_at, last_used_at, expires_at)
values ($1::text, decode($2::text, 'hex'), $3::text, $4::text, $5::timestamptz, $5::timestamptz, $6::timestamptz)
on conflict (session_id) do nothing
