-- in:   $1 user ids, tab-separated
-- out:  one row with those that are stored: keys, tab-separated, and fingerprints in the same order (row hashes in hex)
-- why:  unchanged records need not be written, and a dry run reports what an upsert would do
select string_agg(user_id, chr(9)) as keys, string_agg(encode(row_hash, 'hex'), chr(9)) as fingerprints
from players
where user_id = any (string_to_array($1::text, chr(9)))
