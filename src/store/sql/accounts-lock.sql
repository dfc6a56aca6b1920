-- in:   $1 user ids, $2 order ids and $3 referral codes: who sends which order with which code; the last two empty if there is none
-- out:  nothing; creates and locks the accounts of these players, and of those whom the codes of their first orders refer to
-- why:  every writer locks its accounts first and in the same order, so that writers never deadlock
with sent as (
  select distinct user_id, order_id, code
  from unnest($1::text[], $2::text[], $3::text[]) as sent (user_id, order_id, code)
),
first_orders as (
  select sent.*
  from sent
  left join accounts a on a.user_id = sent.user_id
  where sent.order_id <> '' and (a.first_order_id is null or a.first_order_id = sent.order_id)
)
insert into accounts as a (user_id, points, counted, orders, entries, rev)
select user_id, 0, 0, 0, 0, 1
from (
  select user_id from players where user_id in (select user_id from sent)
  union
  select p.user_id
  from first_orders
  cross join lateral (
    select min(user_id) as user_id
    from (
      select user_id from players
      where refer_code = first_orders.code and refer_code <> '' and user_id <> first_orders.user_id
      limit 2
    ) as code_owners
    having count(*) = 1 -- A code that several players share refers nobody.
  ) as p
  union
  select owner ->> 'referrerId'
  from first_orders
  join orders o on o.user_id = first_orders.user_id and o.order_id = first_orders.order_id
  cross join lateral json_each(o.facts -> 'codes') as named (code, owner)
  where owner ->> 'referrerId' is not null
) as wanted
order by user_id
on conflict (user_id) do update set rev = a.rev where false -- Locks existing rows without writing new versions of them.
