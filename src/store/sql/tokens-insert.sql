-- in:   $1 token id, $2 name, $3 digest in hex, $4 scopes, $5 the moment, $6 when it expires or null
-- out:  nothing
-- why:  a retry after an unknown outcome writes the same row again and must succeed
insert into tokens (token_id, name, digest, scopes, created_at, expires_at)
values ($1::text, $2::text, decode($3::text, 'hex'), to_jsonb($4::text[]), $5::timestamptz, $6::timestamptz)
on conflict (token_id) do nothing
