-- in:   $1 user ids between tabs
-- out:  one row with those that are stored: keys between tabs, and fingerprints in the same order (row hashes in hex)
-- why:  what is stored as it was sent need not be sent, and a dry run says what an upsert would do
select string_agg(user_id, chr(9)) as keys, string_agg(encode(row_hash, 'hex'), chr(9)) as fingerprints
from players
where user_id = any (string_to_array($1::text, chr(9)))
