-- in:   $1 keys
-- out:  key, fingerprint and state_version of those that are stored
-- why:  which of two states is newer is decided under a lock (decision 71); a dry run reads without :lock
select :key as key, :fingerprint as fingerprint, state_version
from :table
where :key = any ($1::text[])
order by :key
:lock
