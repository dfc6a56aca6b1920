-- in:   the columns of entries (entries.ts), and the moment of the request
-- out:  nothing
-- why:  the ledger is append-only
insert into entries (:columns, recorded_at)
select :columns, :now
from unnest(:lists) as incoming (:columns)
