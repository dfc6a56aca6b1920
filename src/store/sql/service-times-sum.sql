-- in:   $1 minute or hour, $2 a moment
-- out:  the counts since then: of all routes by minute or hour (route is null), and in total for each route (starts is null)
-- why:  one pass for both
select to_char(starts at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as starts, route, :sums
from service_times
where span = $1::text and service_times.starts >= $2::timestamptz
group by grouping sets ((service_times.starts), (route))
order by service_times.starts, route
