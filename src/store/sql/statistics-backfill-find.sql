-- in:   nothing
-- out:  how many entries from before are counted, of about how many; no row where all are
-- why:  whoever reads figures should know that some are missing yet
select counted, greatest(counted, (select reltuples from pg_class where oid = 'entries'::regclass)::bigint) as entries
from statistics_backfill
where not done
