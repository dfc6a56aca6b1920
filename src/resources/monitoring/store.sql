-- name: feed-days-add
-- in:   the columns of feed_days (activity.ts), each key once
-- out:  nothing
-- why:  several processes add; sorted, so that they never deadlock
insert into feed_days as s (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
order by day, noun, token_id, measure, field, kind
on conflict (day, noun, token_id, measure, field, kind) do update set n = s.n + excluded.n

-- name: feed-days-sum
-- in:   $1 and $2 the first and last day, $3 limit
-- out:  a row for each noun and token that ever sent something valid, or anything during these days
-- why:  shows whether data arrives: the counts, and the time since the last successful request compared with the usual gap
select noun, token_id as token, t.name as token_name,
  to_char(last_good_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_good_at, gap_ms as usual_gap_ms,
  coalesce(requests, 0) as requests, coalesce(inserted, 0) as inserted, coalesce(updated, 0) as updated,
  coalesce(skipped, 0) as skipped, coalesce(refused, 0) as refused,
  coalesce(updated, 0) - coalesce(kept, 0) as changed, coalesce(kept, 0) + coalesce(skipped, 0) - coalesce(refused, 0) as unchanged
from feed_last
full join (
  select noun, token_id, sum(n) filter (where measure = 'requests')::bigint as requests,
    sum(n) filter (where measure = 'inserted')::bigint as inserted, sum(n) filter (where measure = 'updated')::bigint as updated,
    sum(n) filter (where measure = 'updated-unchanged')::bigint as kept,
    sum(n) filter (where measure = 'skipped')::bigint as skipped, sum(n) filter (where measure = 'refused')::bigint as refused
  from feed_days
  where day between $1::date and $2::date
  group by noun, token_id
) as days using (noun, token_id)
left join tokens as t using (token_id)
order by noun, token_id
limit $3::bigint

-- name: feed-days-refusals
-- in:   $1 a noun, $2 and $3 the first and last day, $4 limit
-- out:  the number of refused records by field and kind, most frequent first
-- why:  shows senders what to fix; no values of the records are stored
select field, kind, sum(n)::bigint as n, min(day)::text as first_day, max(day)::text as last_day
from feed_days
where noun = $1::text and day between $2::date and $3::date and measure = 'refused'
group by field, kind
order by sum(n) desc, field, kind
limit $4::bigint

-- name: feed-days-count
-- in:   $1 a day
-- out:  one row: how many counts are from before the day
-- why:  told before they are deleted
select count(*) as counts from feed_days where day < $1::date

-- name: feed-days-delete
-- in:   $1 a day, $2 how many at most
-- out:  one row: deleted, how many counts from before the day were deleted
-- why:  in slices, oldest first: a shop may shorten the time for which they are kept
with gone as (
  delete from feed_days
  where (day, noun, token_id, measure, field, kind) in (
    select day, noun, token_id, measure, field, kind
    from feed_days
    where day < $1::date
    order by day
    limit $2::bigint
  )
  returning 1
)
select count(*) as deleted from gone

-- name: feed-last-raise
-- in:   $1 nouns, $2 token ids, $3 moments of the last successful requests
-- out:  nothing
-- why:  requests less than a minute apart are one delivery; the usual gap is a moving average, in which the latest gap weighs one eighth
insert into feed_last as f (noun, token_id, last_good_at)
select * from unnest($1::text[], $2::text[], $3::timestamptz[]) as incoming (noun, token_id, last_good_at)
order by noun, token_id
on conflict (noun, token_id) do update set
  last_good_at = greatest(f.last_good_at, excluded.last_good_at),
  gap_ms = case when excluded.last_good_at - f.last_good_at < interval '1 minute' then f.gap_ms
    else round(
      coalesce(f.gap_ms, extract(epoch from excluded.last_good_at - f.last_good_at) * 1000) * 7 / 8
      + extract(epoch from excluded.last_good_at - f.last_good_at) * 1000 / 8
    ) end

-- name: service-times-add
-- in:   the columns of service_times (activity.ts) except span, each minute and route once
-- out:  nothing
-- why:  hours are kept longer than minutes, so they are summed alongside
insert into service_times as s (span, starts, route, :counts)
select span, case span when 'hour' then date_trunc('hour', starts at time zone 'utc') at time zone 'utc' else starts end, route, :sums
from unnest(:lists) as incoming (:columns)
cross join (values ('hour'), ('minute')) as spans (span)
group by 1, 2, 3
order by 1, 2, 3
on conflict (span, starts, route) do update set :added

-- name: service-times-sum
-- in:   $1 minute or hour, $2 a moment
-- out:  the counts since then: of all routes by minute or hour (route is null), and in total for each route (starts is null)
-- why:  one pass for both
select to_char(starts at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as starts, route, :sums
from service_times
where span = $1::text and service_times.starts >= $2::timestamptz
group by grouping sets ((service_times.starts), (route))
order by service_times.starts, route

-- name: service-times-delete
-- in:   $1 and $2 moments
-- out:  nothing
-- why:  minutes before $1 and hours before $2 are no longer kept
delete from service_times where (span = 'minute' and starts < $1::timestamptz) or (span = 'hour' and starts < $2::timestamptz)
