-- in:   nothing
-- out:  how many older entries have been counted, out of about how many; no row once all have
-- why:  readers of the figures should know that they are still incomplete
select counted, greatest(counted, (select reltuples from pg_class where oid = 'entries'::regclass)::bigint) as entries
from statistics_backfill
where not done
