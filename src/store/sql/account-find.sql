-- in:   $1 a user id
-- out:  one row: name, and the account as facts, null where he has none yet; no row if he was never sent
-- why:  a player's standing
select p.name,
  case when a.user_id is not null then
    jsonb_build_object(
      'points', a.points::text, 'counted', a.counted::text, 'orders', a.orders::text, 'entries', a.entries::text,
      'first_order_id', a.first_order_id, 'rev', a.rev::text
    )
  end as facts
from players p
left join accounts a on a.user_id = p.user_id
where p.user_id = $1::text
