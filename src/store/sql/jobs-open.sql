-- in:   nothing
-- out:  how many jobs wait, and how many run
-- why:  whoever looks for work asks this each second, and writes nothing where there is none
select count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'running')::int as running
from jobs
where state in ('waiting', 'running')
