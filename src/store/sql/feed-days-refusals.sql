-- in:   $1 a noun, $2 and $3 the first and last day, $4 limit
-- out:  the number of refused records by field and kind, most frequent first
-- why:  shows senders what to fix; no values of the records are stored
select field, kind, sum(n)::bigint as n, min(day)::text as first_day, max(day)::text as last_day
from feed_days
where noun = $1::text and day between $2::date and $3::date and measure = 'refused'
group by field, kind
order by sum(n) desc, field, kind
limit $4::bigint
