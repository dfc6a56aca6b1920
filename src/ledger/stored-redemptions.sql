-- name: redemptions-write
-- in:   the columns of redemptions (redemptions.ts), each id at most once; and the moment of the request
-- out:  nothing
-- why:  needs no revision check of its own: redemptions are written together with their account, whose revision is checked
insert into redemptions (:columns, updated_at)
select :columns, :now
from unnest(:lists) as incoming (:columns)
on conflict (user_id, redemption_id) do update set :updates, updated_at = excluded.updated_at

-- name: redemptions-page
-- in:   $1 the previous page's last redemption id, $2 and $3 the lowest and highest id with a prefix, $4 limit, $5 a user id
-- out:  redemption: the player's redemptions, by id, each as a JSON list
-- why:  a page of what one player holds and has spent, by key
select
  -- include: redemption.fragment.sql
  as redemption
from redemptions r
where r.user_id = $5::text and r.redemption_id > $1::text and r.redemption_id >= $2::text and r.redemption_id <= $3::text
order by r.redemption_id
limit $4::bigint
