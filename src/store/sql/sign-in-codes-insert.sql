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
