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
  where user_id = $1::text and (order_id, predicted_at, prediction_id) < ($2::text, $3::timestamptz, $4::uuid)
  order by order_id desc, predicted_at desc, prediction_id desc
  limit $5::bigint
) as p
left join orders o on o.user_id = p.user_id and o.order_id = p.order_id
left join lateral (
  select true as is_there
  from predictions n
  where n.user_id = p.user_id and n.order_id = p.order_id
    and (n.predicted_at, n.prediction_id) > (p.predicted_at, p.prediction_id) and n.predicted_at <= o.recorded_at
  limit 1
) as later on true
left join differed_predictions d on d.user_id = p.user_id and d.order_id = p.order_id
  and p.predicted_at <= o.recorded_at and later.is_there is null -- The difference belongs to the last prediction before the recording.
order by p.order_id desc, p.predicted_at desc, p.prediction_id desc
