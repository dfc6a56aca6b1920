-- in:   $1 a user id, $2 an e-mail address, $3 a phone number without its plus, $4 a referral code, any of them null; $5 the previous page's last user id, $6 limit
-- out:  players as stored that match any of these, by id
-- why:  finds a player by whichever of them is at hand. Matches come from the indexes first and are then sorted: reading in key order would scan all players
with found as materialized (
  select user_id from players where user_id = $1::text
  union
  select user_id from players where lower(email collate "C") = lower($2::text collate "C")
  union
  select user_id from players where ltrim(phone collate "C", '+') = $3::text
  union
  select user_id from players where refer_code <> '' and refer_code = $4::text
),
page as (
  select user_id from found where user_id > $5::text order by user_id limit $6::bigint
)
select
  -- include: stored-player
from page
join players using (user_id)
order by user_id
