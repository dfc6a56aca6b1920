-- in:   $1 the last redemption id of the page before, $2 and $3 the first and the last id that a prefix allows, $4 how many, $5 a user id
-- out:  redemption: the player's redemptions, in the order of their ids, each as a list in JSON
-- why:  what one player holds and has spent, by key, a page at a time
select
  -- include: redemption
  as redemption
from redemptions r
where r.user_id = $5::text and r.redemption_id > $1::text and r.redemption_id >= $2::text and r.redemption_id <= $3::text
order by r.redemption_id
limit $4::bigint
