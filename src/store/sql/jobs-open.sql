-- in:   nothing
-- out:  how many jobs are waiting, and how many are running
-- why:  polled every second, so that nothing is written while there is no work
select count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'running')::int as running
from jobs
where state in ('waiting', 'running')
