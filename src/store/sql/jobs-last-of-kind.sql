-- in:   $1 a kind
-- out:  the state of the most recently requested job of this kind, and when it ended, as RFC 3339; no row if none is stored
-- why:  keeps the service from requesting its own jobs twice
select state, to_char(ended_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at
from jobs
where kind = $1::text
order by jobs.asked_at desc
limit 1
