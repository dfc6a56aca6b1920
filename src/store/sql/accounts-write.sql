-- in:   $1 to $7 the columns of accounts (accounts.ts), each user id at most once; rev is the next one
-- out:  a row for each account that was written; one that another request has written since it was read is missing
-- why:  two writers must not both build on the same account
insert into accounts as a (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
order by user_id
on conflict (user_id) do update set :updates
  where a.rev = excluded.rev - 1
returning user_id
