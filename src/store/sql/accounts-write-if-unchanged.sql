-- in:   $1 to $7 the columns of accounts (accounts.ts), each user id at most once, with the next rev
-- out:  a row for each account written; accounts changed by another request since they were read are missing
-- why:  optimistic concurrency: two writers must not both build on the same revision
insert into accounts as a (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
order by user_id
on conflict (user_id) do update set :updates
  where a.rev = excluded.rev - 1
returning user_id
