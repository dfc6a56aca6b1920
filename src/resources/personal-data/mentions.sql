-- name: mentions-bound
-- in:   $1 an id, $2 limit
-- out:  one row: last, the id of the player so many after the first; null if there is none after it
-- why:  a range of orders and players ends there
select max(user_id) as last
from (select user_id from players where user_id > $1::text order by user_id limit $2::bigint) as page

-- name: mentions-of-referrers
-- in:   $1 ids of players
-- out:  user_id of players with an order that one of these has referred, and referrer_id, each pair once
-- why:  an index finds them; their own codes may be gone from the order
select distinct user_id, referrer_id
from orders
where referrer_id = any ($1::text[])
order by user_id, referrer_id

-- name: mentions-in-orders
-- in:   $1 and $2 a range of user ids, after the first up to the second; $3 ids of players and $4 their referral codes
-- out:  user_id of players in the range with an order that names one of them; codes, the referral codes of the order with their owners, as JSON text
-- why:  no index finds them, so all orders are read, a range at a time; few have a code, and the text of the others says so without being parsed
select distinct user_id, (facts -> 'codes')::text as codes
from orders
where user_id > $1::text and user_id <= $2::text and strpos(facts::text, '"codes":{}') = 0
  and exists (
    select from json_each(facts -> 'codes') as named (code, owner) where code = any ($4::text[]) or owner ->> 'referrerId' = any ($3::text[])
  )
order by user_id, codes

-- name: mentions-in-players
-- in:   $1 and $2 a range of user ids, after the first up to the second; $3 texts that identify players
-- out:  user_id of players in the range who have one of the texts as their referrer, and the text
-- why:  no index finds them: few players are erased
select user_id, referred_by
from players
where user_id > $1::text and user_id <= $2::text and referred_by = any ($3::text[])
order by user_id
