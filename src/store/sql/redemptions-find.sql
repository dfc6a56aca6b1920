-- in:   $1 a user id, $2 a redemption id
-- out:  the redemption, where there is one
-- why:  one redemption, shown
select
  -- include: redemption
  as redemption
from redemptions r
where r.user_id = $1::text and r.redemption_id = $2::text
