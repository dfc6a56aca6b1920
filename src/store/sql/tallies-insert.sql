-- in:   the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  no index and no row that two writers share: adding is all that a request pays for statistics
insert into tallies (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
