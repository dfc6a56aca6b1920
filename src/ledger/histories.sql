-- fragment: packed-movements
-- in:   rows with the columns of `movement`
-- out:  all of them as one text, rows separated by commas and columns by spaces (histories.ts)
-- why:  one row each would take 1.3 to 1.8 times as long with sixteen entries per player (bench/NOTES.md)
string_agg(concat_ws(' ', day, usable_on, expires_on, slides, is_spent, points), ',')

-- name: entries-movements
-- in:   $1 a user id, $2 a moment
-- out:  movements, packed: the entries recorded up to the moment, summed by day and terms
-- why:  the balance on a day, as known at a moment
select
  -- include: packed-movements
  as movements
from (
  select
    -- include: movement.fragment.sql
    , sum(e.points) as points
  from entries e
  where e.user_id = $1::text and e.recorded_at <= $2::timestamptz
  group by 1, 2, 3, 4, 5
) as m

-- name: histories
-- in:   one question per position: $1 user ids, $2 order ids and $3 redemption ids, the last two empty if there is none
-- out:  place (from 1); given: all entries but the order's, packed, and the sum of the reinstated ones among them; own: what the order itself has spent; redemptions: all holds and the redemption asked for; both as JSON lists
-- why:  what a player may spend, apart from one order; one statement for all questions. Written with joins, a single question takes twice as long, mostly planning (bench/NOTES.md)
select asked.place::int as place,
  (
    select json_build_array(
      -- include: packed-movements
      , sum(reinstated)::text
    )
    from (
      select
        -- include: movement.fragment.sql
        , sum(e.points) as points, sum(e.points) filter (where e.kind = 'reinstated') as reinstated
      from entries e
      where e.user_id = asked.user_id and (e.order_id is distinct from asked.order_id or e.kind = 'reinstated')
      group by 1, 2, 3, 4, 5
    ) as by_day
  ) as given,
  (
    select json_agg(json_build_array(e.day::text, (-e.points)::text))
    from entries e
    where asked.order_id <> '' and e.user_id = asked.user_id and e.order_id = asked.order_id and e.kind = 'redemption'
  ) as own,
  (
    select json_agg(
      -- include: redemption.fragment.sql
    )
    from redemptions r
    where r.user_id = asked.user_id and (r.state = 'held' or r.redemption_id = asked.redemption_id)
  ) as redemptions
from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (user_id, order_id, redemption_id, place)

-- on a cluster: histories
-- why:  no correlated subquery beside unnest
with asked as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (user_id, order_id, redemption_id, place)
),
given as materialized (
  select place,
    json_build_array(
      -- include: packed-movements
      , sum(reinstated)::text
    ) as given
  from (
    select
      -- include: movement.fragment.sql
      , sum(e.points) as points, sum(e.points) filter (where e.kind = 'reinstated') as reinstated, asked.place
    from asked
    join entries e on e.user_id = asked.user_id and (e.order_id is distinct from asked.order_id or e.kind = 'reinstated')
    where e.user_id = any ($1::text[])
    group by 1, 2, 3, 4, 5, 8
  ) as by_day
  group by place
),
own as materialized (
  select asked.place, json_agg(json_build_array(e.day::text, (-e.points)::text)) as own
  from asked
  join entries e on e.user_id = asked.user_id and e.order_id = asked.order_id and e.kind = 'redemption'
  where asked.order_id <> '' and e.user_id = any ($1::text[])
  group by asked.place
),
redeemed as materialized (
  select asked.place,
    json_agg(
      -- include: redemption.fragment.sql
    ) as redemptions
  from asked
  join redemptions r on r.user_id = asked.user_id and (r.state = 'held' or r.redemption_id = asked.redemption_id)
  where r.user_id = any ($1::text[])
  group by asked.place
)
select asked.place::int as place, coalesce(given.given, '[null, null]') as given, own.own, redeemed.redemptions
from asked
left join given on given.place = asked.place
left join own on own.place = asked.place
left join redeemed on redeemed.place = asked.place

-- name: points-of-players
-- in:   $1 the previous page's last user id, $2 how many players, $3 a day, $4 a moment
-- out:  for each of these players a row per kind and program version: movements, packed, of days up to $3, recorded up to $4; one row with a null kind if there are none
-- why:  everyone's balance, one statement for a page of players; needs no index of its own
with page as (
  select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint
)
select p.user_id, m.kind, m.program, m.movements
from page p
left join lateral (
  select kind, program,
    -- include: packed-movements
    as movements
  from (
    select
      -- include: movement.fragment.sql
      , sum(e.points) as points, e.kind,
      coalesce(e.program_version, (
        select r.program_version
        from redemptions r
        where e.kind = 'redemption' and r.user_id = e.user_id and r.redemption_id = e.redemption_id
      )) as program
    from entries e
    where e.user_id = p.user_id and coalesce(e.day, (e.at at time zone 'utc')::date) <= $3::date and e.recorded_at <= $4::timestamptz
    group by 1, 2, 3, 4, 5, 7, 8
  ) as by_day
  group by kind, program
) as m on true
order by p.user_id

-- on a cluster: points-of-players
-- why:  no left join from a limit, nor a correlated subquery in a list of columns
with page as materialized (
  select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint
),
given as materialized (
  select user_id, kind, program,
    -- include: packed-movements
    as movements
  from (
    select
      -- include: movement.fragment.sql
      , sum(e.points) as points, e.user_id, e.kind, coalesce(e.program_version, r.program_version) as program
    from entries e
    left join redemptions r on e.kind = 'redemption' and r.user_id = e.user_id and r.redemption_id = e.redemption_id
    where e.user_id in (select user_id from page)
      and coalesce(e.day, (e.at at time zone 'utc')::date) <= $3::date and e.recorded_at <= $4::timestamptz
    group by 1, 2, 3, 4, 5, 7, 8, 9
  ) as by_day
  group by user_id, kind, program
)
select p.user_id, m.kind, m.program, m.movements
from page p
left join given m on m.user_id = p.user_id
order by p.user_id

-- name: account-ids
-- in:   $1 the previous page's last user id, $2 how many
-- out:  the user ids of the next accounts
-- why:  a page of all accounts
select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint

-- name: points-of-accounts
-- in:   $1 user ids, $2 a moment
-- out:  a row for each of these players: movements, packed (null: none); the holds open at $2 as a JSON list of [day, points], and when the first of them lapses; and the moment of the latest order; moments as RFC 3339
-- why:  current balances, one statement for a page of players; needs no index of its own. Entries are not summed: a fold does so anyway, and this way a usual account costs half (bench/NOTES.md)
select p.user_id, m.movements, h.holds, h.lapses_at, o.ordered_at
from unnest($1::text[]) as p (user_id)
cross join lateral (
  select
    -- include: packed-movements
    as movements
  from (
    select
      -- include: movement.fragment.sql
      , e.points
    from entries e
    where e.user_id = p.user_id
  ) as each
) as m
cross join lateral (
  select json_agg(json_build_array(r.held_on::text, r.points::text)) as holds,
    to_char(min(r.held_until) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as lapses_at
  from redemptions r
  where r.user_id = p.user_id and r.state = 'held' and r.held_until > $2::timestamptz
) as h
cross join lateral (
  -- "offset 0" restricts this to the player's orders: for a plain maximum the planner may walk all orders by moment until it finds one.
  select to_char(max(own.ordered_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at
  from (select orders.ordered_at from orders where orders.user_id = p.user_id offset 0) as own
) as o

-- on a cluster: points-of-accounts
-- why:  no lateral subqueries beside unnest
with given as materialized (
  select user_id,
    -- include: packed-movements
    as movements
  from (
    select
      -- include: movement.fragment.sql
      , e.points, e.user_id
    from entries e
    where e.user_id = any ($1::text[])
  ) as each
  group by user_id
),
held as materialized (
  select user_id, json_agg(json_build_array(held_on::text, points::text)) as holds,
    to_char(min(held_until) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as lapses_at
  from redemptions
  where user_id = any ($1::text[]) and state = 'held' and held_until > $2::timestamptz
  group by user_id
),
latest as materialized (
  select user_id, to_char(max(orders.ordered_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at
  from orders
  where user_id = any ($1::text[])
  group by user_id
)
select p.user_id, given.movements, held.holds, held.lapses_at, latest.ordered_at
from unnest($1::text[]) as p (user_id)
left join given on given.user_id = p.user_id
left join held on held.user_id = p.user_id
left join latest on latest.user_id = p.user_id
