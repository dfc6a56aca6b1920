-- in:   $1 user ids
-- out:  a row for each who was ever sent: user_id, name, and the account as facts, null where they have none yet
-- why:  players' standings; one statement for the whole list
select p.user_id, p.name,
  case when a.user_id is not null then
    jsonb_build_object(
      'points', a.points::text, 'counted', a.counted::text, 'orders', a.orders::text, 'entries', a.entries::text,
      'first_order_id', a.first_order_id, 'rev', a.rev::text
    )
  end as facts
from players p
left join accounts a on a.user_id = p.user_id
where p.user_id = any ($1::text[])
