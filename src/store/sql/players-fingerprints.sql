-- in:   $1 user ids
-- out:  for each that is stored: key, fingerprint (its row hash in hex)
-- why:  a dry run says what an upsert would do, and writes nothing
select user_id as key, encode(row_hash, 'hex') as fingerprint
from players
where user_id = any ($1::text[])
