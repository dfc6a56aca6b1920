-- in:   $1 user ids, $2 referral codes with $3 the players and $4 the orders that carry them
-- out:  nothing; makes and locks the accounts of these players, and of those whose referral the order may be
-- why:  every writer takes its accounts first and in one order, so that two of them never wait for each other in a circle
insert into accounts as a (user_id, points, counted, orders, entries, rev)
select user_id, 0, 0, 0, 0, 1
from (
  select user_id from players where user_id = any ($1::text[])
  union
  select p.user_id
  from unnest($2::text[], $3::text[], $4::text[]) as sent (code, user_id, order_id)
  left join accounts friend on friend.user_id = sent.user_id
  cross join lateral (select user_id from players where refer_code = sent.code and refer_code <> '' limit 3) as p
  where friend.first_order_id is null or friend.first_order_id = sent.order_id
) as wanted
order by user_id
on conflict (user_id) do update set rev = a.rev + 1
