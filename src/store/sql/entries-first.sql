-- in:   $1 user ids and $2 order ids of recorded orders, in pairs
-- out:  place (from 1) and the outcome of each order's first recording: at, points, program, explanation
-- why:  entries have no index by order: each player's are read once, by key even if the table was never analysed (offset 0)
with asked as materialized (
  select user_id, order_id, place
  from unnest($1::text[], $2::text[]) with ordinality as asked (user_id, order_id, place)
),
firsts as materialized (
  select own.*
  from (select distinct user_id from asked) as player
  cross join lateral (
    select user_id, order_id, at, points, program_version, explanation
    from entries
    where user_id = player.user_id and revision = 1 and kind = 'order'
    offset 0
  ) as own
)
select asked.place, to_char(firsts.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, firsts.points::text as points,
  firsts.program_version as program, firsts.explanation::text as explanation
from asked
join firsts on firsts.user_id = asked.user_id and firsts.order_id = asked.order_id
