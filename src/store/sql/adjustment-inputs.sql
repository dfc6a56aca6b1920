-- in:   $1 user ids and $2 adjustment ids, in pairs
-- out:  kind 'account': a known player's account, facts null where he has none yet; kind 'adjustment': one that is there
-- why:  one statement for a whole slice
select 'account' as kind, p.user_id as key,
  case when a.user_id is not null then
    jsonb_build_object(
      'points', a.points::text, 'counted', a.counted::text, 'orders', a.orders::text, 'entries', a.entries::text,
      'first_order_id', a.first_order_id, 'rev', a.rev::text
    )
  end as facts
from players p
left join accounts a on a.user_id = p.user_id
where p.user_id = any ($1::text[])
union all
select 'adjustment', e.user_id,
  jsonb_build_object(
    'seq', e.seq::text, 'points', e.points::text, 'counts', e.counts, 'id', e.adjustment_id, 'reason', e.reason,
    'at', to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )
from (select distinct user_id, id from unnest($1::text[], $2::text[]) as asked (user_id, id)) as wanted
join entries e on e.user_id = wanted.user_id and e.adjustment_id = wanted.id
