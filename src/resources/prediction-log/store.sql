-- name: predictions-insert
-- in:   $1 user ids and $2 their digests in hex, in pairs, of those that may have been replaced; from $3 the columns of predictions (store.ts)
-- out:  nothing
-- why:  one statement for all predictions of a second, none of erased players; a retry after an unknown outcome leaves existing rows alone
insert into predictions (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
where incoming.user_id <> all (
  -- include: ../../ledger/erased-ids.fragment.sql
)
on conflict (user_id, order_id, predicted_at, prediction_id) do nothing

-- name: predictions-last
-- in:   $1 user ids, $2 order ids, $3 a moment for each
-- out:  place (from 1) and predicted, the order's last prediction up to then as an object; no row if none is stored
-- why:  one index lookup per order, however often it was predicted
select asked.place, last.predicted
from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality
  as asked (user_id, order_id, until, place)
cross join lateral (
  select jsonb_build_object(
    'points', p.points::text, 'level_after', p.level_after, 'referred', p.referred, 'program', p.program_version,
    'at', to_char(p.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'order', encode(p.order_digest, 'hex'), 'player', encode(p.player_digest, 'hex'), 'prices', encode(p.prices_digest, 'hex')
  ) as predicted
  from predictions as p
  where p.user_id = asked.user_id and p.order_id = asked.order_id and p.predicted_at <= asked.until
  order by p.predicted_at desc, p.prediction_id desc
  limit 1
) as last

-- on a cluster: predictions-last
-- why:  no limit in a lateral subquery: all predictions of the orders are read
select place, predicted
from (
  select asked.place,
    jsonb_build_object(
      'points', p.points::text, 'level_after', p.level_after, 'referred', p.referred, 'program', p.program_version,
      'at', to_char(p.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'order', encode(p.order_digest, 'hex'), 'player', encode(p.player_digest, 'hex'), 'prices', encode(p.prices_digest, 'hex')
    ) as predicted,
    row_number() over (partition by p.user_id, asked.place order by p.predicted_at desc, p.prediction_id desc) as nth
  from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality
    as asked (user_id, order_id, until, place)
  join predictions p on p.user_id = asked.user_id and p.order_id = asked.order_id and p.predicted_at <= asked.until
  where p.user_id = any ($1::text[])
) as each
where nth = 1

-- name: predictions-sample-counts
-- in:   $1 to $4 the key of the previous page's last prediction, $5 limit, $6 and $7 two moments
-- out:  one row: kept, how many of the next predictions were made in [$6, $7); seen, how many answered predictions they represent; last, the last key in four parts, or null
-- why:  each row represents seen / kept predictions of its second; a page at a time, however many are stored
with page as materialized (
  select user_id, order_id, predicted_at, prediction_id, kept, seen,
    predicted_at >= $6::timestamptz and predicted_at < $7::timestamptz as in_range
  from predictions
  where (user_id, order_id, predicted_at, prediction_id) > ($1::text, $2::text, $3::timestamptz, $4::uuid)
  order by user_id, order_id, predicted_at, prediction_id
  limit $5::bigint
)
select (count(*) filter (where in_range))::bigint as kept,
  coalesce(round(sum(seen::numeric / kept) filter (where in_range), 6), 0)::text as seen,
  (
    select jsonb_build_array(user_id, order_id, predicted_at::text, prediction_id)
    from page
    order by user_id desc, order_id desc, predicted_at desc, prediction_id desc
    limit 1
  ) as last
from page

-- name: predictions-of-player
-- in:   $1 a user id, $2 to $4 order id, moment and id of the previous page's last prediction, $5 limit, $6 a moment: orders recorded before it have been compared
-- out:  stored predictions before that one, by descending order id, newest first, each with its outcome; moments as RFC 3339
-- why:  a page of one player's predictions, by key; each order is found by its key
select p.order_id, to_char(p.predicted_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as predicted_at, p.prediction_id, p.token_id as by,
  p.points, p.level_after as level, p.program_version as program,
  case
    when o.order_id is null then 'not-recorded'
    when p.predicted_at > o.recorded_at then 'recorded-before'
    when later.is_there then 'asked-again'
    when d.order_id is not null then 'differed'
    when o.recorded_at >= $6::timestamptz or (o.rev = 1 and o.points <> p.points) then 'not-compared'
    else 'came-true'
  end as outcome,
  d.reasons, d.recorded_points, d.recorded_level, d.recorded_program,
  to_char(o.recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at
from (
  select *
  from predictions
  where predictions.user_id = $1::text and (order_id, predicted_at, prediction_id) < ($2::text, $3::timestamptz, $4::uuid)
  order by order_id desc, predicted_at desc, prediction_id desc
  limit $5::bigint
) as p
left join orders o on o.user_id = $1::text and o.order_id = p.order_id
left join lateral (
  select true as is_there
  from predictions n
  where n.user_id = $1::text and n.order_id = p.order_id
    and (n.predicted_at, n.prediction_id) > (p.predicted_at, p.prediction_id) and n.predicted_at <= o.recorded_at
  limit 1
) as later on true
left join differed_predictions d on d.user_id = $1::text and d.order_id = p.order_id
  and p.predicted_at <= o.recorded_at and later.is_there is null -- The difference belongs to the last prediction before the recording.
order by p.order_id desc, p.predicted_at desc, p.prediction_id desc

-- name: predictions-delete
-- in:   $1 a moment, $2 how many at most
-- out:  one row: deleted, how many predictions from before the moment were deleted
-- why:  in slices, oldest first, so that nobody waits long for the database
with gone as (
  delete from predictions
  where (user_id, order_id, predicted_at, prediction_id) in (
    select user_id, order_id, predicted_at, prediction_id
    from predictions
    where predicted_at < $1::timestamptz
    order by predicted_at
    limit $2::bigint
  )
  returning 1
)
select count(*) as deleted from gone
