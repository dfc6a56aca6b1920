-- name: entries-page
-- in:   $1 a user id, $2 a sequence number, $3 limit
-- out:  entries before that sequence number, newest first; moments as RFC 3339, points and numbers as text
-- why:  a page of a possibly long history; the key gives the order, so no page costs more than the first
select seq::text as seq, kind, points::text as points, counts, order_id, revision::text as revision,
  program_version as program, to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at, change, adjustment_id, redemption_id, reason,
  usable_on::text as usable_on, expires_on::text as expires_on, explanation::text as explanation,
  case when kind = 'redemption' then coalesce(day, (at at time zone 'utc')::date)::text end as spent_on
from entries
where user_id = $1::text and seq < $2::bigint
order by entries.seq desc -- Qualified, because the output column of the same name is text and sorts differently.
limit $3::bigint

-- name: entries-first
-- in:   $1 user ids and $2 order ids of recorded orders, in pairs, $3 a moment
-- out:  place (from 1) and the outcome of each order's first recording: at, points, program, explanation; points_then, what the order gave at $3
-- why:  entries have no index by order: those of the players are read, once
with outcomes as materialized (
  select user_id, order_id, revision, at, points, program_version, case when revision = 1 then explanation end as explanation,
    sum(points) over (partition by user_id, order_id) as points_then
  from entries
  where user_id = any ($1::text[]) and kind = 'order' and recorded_at <= $3::timestamptz
)
select asked.place, to_char(firsts.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, firsts.points::text as points,
  firsts.program_version as program, firsts.explanation::text as explanation, firsts.points_then::text as points_then
from unnest($1::text[], $2::text[]) with ordinality as asked (user_id, order_id, place)
join outcomes as firsts on firsts.user_id = asked.user_id and firsts.order_id = asked.order_id and firsts.revision = 1

-- name: entries-adjustments
-- in:   $1 user ids and $2 adjustment ids, in pairs
-- out:  a row for each that exists; points and sequence as text, the moment as RFC 3339
-- why:  an adjustment must be made only once
select e.user_id, e.adjustment_id as id, e.seq::text as seq, e.points::text as points, e.counts, e.reason,
  coalesce(e.day, (e.at at time zone 'utc')::date)::text as day, e.change,
  e.usable_on::text as usable_on, e.expires_on::text as expires_on, e.slides,
  to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
from (select distinct user_id, id from unnest($1::text[], $2::text[]) as asked (user_id, id)) as wanted
join entries e on e.user_id = wanted.user_id and e.adjustment_id = wanted.id
where e.user_id = any ($1::text[])

-- name: entries-window-sums
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

-- on a cluster: entries-window-sums
-- why:  no correlated subquery beside unnest
with asked as materialized (
  select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality
    as asked (user_id, order_id, since, until, place)
),
summed as materialized (
  select asked.place, sum(e.points) as sum
  from asked
  join entries e on e.user_id = asked.user_id and e.counts and e.at > asked.since and e.at <= asked.until
    and e.order_id is distinct from asked.order_id
  where e.user_id = any ($1::text[])
  group by asked.place
)
select asked.place::int as place, coalesce(summed.sum, 0)::text as sum
from asked
left join summed on summed.place = asked.place
