-- in:   $1 a kind
-- out:  the state of the job of this kind that was asked for last, and when it ended as RFC 3339; no row where none is kept
-- why:  what the service asks for by itself is not asked for twice
select state, to_char(ended_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at
from jobs
where kind = $1::text
order by jobs.asked_at desc
limit 1
