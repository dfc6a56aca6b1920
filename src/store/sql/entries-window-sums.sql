-- in:   $1 user ids, $2 order ids, $3 and $4 moments: for each, the counting points in ($3, $4] except those of the order
-- out:  place (from 1, in the order given) and the sum as text
-- why:  levels that count a window of time; one statement for all questions
select asked.place::int as place,
  (
    select coalesce(sum(e.points), 0)
    from entries e
    where e.user_id = asked.user_id and e.counts and e.at > asked.since and e.at <= asked.until
      and e.order_id is distinct from asked.order_id
  )::text as sum
from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality
  as asked (user_id, order_id, since, until, place)
