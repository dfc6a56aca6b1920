-- in:   the columns of redemptions (redemptions.ts), each id at most once; and the moment of the request
-- out:  nothing
-- why:  redemptions are written with the account that they belong to, which two writers never build on at once
insert into redemptions (:columns, updated_at)
select :columns, :now
from unnest(:lists) as incoming (:columns)
on conflict (user_id, redemption_id) do update set :updates, updated_at = excluded.updated_at
