-- in:   $1 a user id, $2 an e-mail address, $3 a phone number without its plus, $4 a referral code, each may be null; $5 the last user id of the page before, $6 how many players
-- out:  players as stored that have any of these, in the order of their ids
-- why:  a person who has one of them in hand. Found by their indexes before they are ordered: read in order, all players would be searched
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
