-- in:   the columns of redemptions (redemptions.ts), each id at most once; and the moment of the request
-- out:  nothing
-- why:  needs no revision check of its own: redemptions are written together with their account, whose revision is checked
insert into redemptions (:columns, updated_at)
select :columns, :now
from unnest(:lists) as incoming (:columns)
on conflict (user_id, redemption_id) do update set :updates, updated_at = excluded.updated_at
