-- in:   $1 and $2 the first and last day, $3 limit
-- out:  a row for each noun and token that ever sent something valid, or anything during these days
-- why:  shows whether data arrives: the counts, and the time since the last successful request compared with the usual gap
select noun, token_id as token, t.name as token_name,
  to_char(last_good_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_good_at, gap_ms as usual_gap_ms,
  coalesce(requests, 0) as requests, coalesce(inserted, 0) as inserted, coalesce(updated, 0) as updated,
  coalesce(skipped, 0) as skipped, coalesce(refused, 0) as refused
from feed_last
full join (
  select noun, token_id, sum(n) filter (where measure = 'requests')::bigint as requests,
    sum(n) filter (where measure = 'inserted')::bigint as inserted, sum(n) filter (where measure = 'updated')::bigint as updated,
    sum(n) filter (where measure = 'skipped')::bigint as skipped, sum(n) filter (where measure = 'refused')::bigint as refused
  from feed_days
  where day between $1::date and $2::date
  group by noun, token_id
) as days using (noun, token_id)
left join tokens as t using (token_id)
order by noun, token_id
limit $3::bigint
