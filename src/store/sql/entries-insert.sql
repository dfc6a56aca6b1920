-- in:   the columns of entries (entries.ts), and the moment of the request; the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  the ledger is append-only; tallies are inserted in the same statement, because a separate one would make small requests 10 % slower
with tallied as (
  insert into tallies (:tally_columns)
  select :tally_columns
  from unnest(:tally_lists) as incoming (:tally_columns)
)
insert into entries (:columns, recorded_at)
select :columns, :now
from unnest(:lists) as incoming (:columns)
