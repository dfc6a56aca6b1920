-- in:   $1 user ids and $2 adjustment ids, in pairs
-- out:  a row for each that exists; points and sequence as text, the moment as RFC 3339
-- why:  an adjustment must be made only once
select e.user_id, e.adjustment_id as id, e.seq::text as seq, e.points::text as points, e.counts, e.reason,
  coalesce(e.day, (e.at at time zone 'utc')::date)::text as day, e.change,
  e.usable_on::text as usable_on, e.expires_on::text as expires_on, e.slides,
  to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
from (select distinct user_id, id from unnest($1::text[], $2::text[]) as asked (user_id, id)) as wanted
join entries e on e.user_id = wanted.user_id and e.adjustment_id = wanted.id
