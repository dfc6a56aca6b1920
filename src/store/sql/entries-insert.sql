-- in:   the columns of entries (entries.ts), and the moment of the request; the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  the ledger is append-only; what the entries add to the statistics goes along, as a statement of its own costs a small request a tenth
with tallied as (
  insert into tallies (:tally_columns)
  select :tally_columns
  from unnest(:tally_lists) as incoming (:tally_columns)
)
insert into entries (:columns, recorded_at)
select :columns, :now
from unnest(:lists) as incoming (:columns)
