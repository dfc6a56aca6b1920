-- in:   $1 keys
-- out:  key, fingerprint and state_version of those that are stored
-- why:  which of two states is the newer one is decided where nobody else can write (decision 71); a dry run asks without :lock
select :key as key, :fingerprint as fingerprint, state_version
from :table
where :key = any ($1::text[])
order by :key
:lock
