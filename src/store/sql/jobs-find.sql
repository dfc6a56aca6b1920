-- in:   $1 job id
-- out:  the job with its result, or no row
-- why:  a result may be large: only this reads one
select
  -- include: stored-job
  , result
from jobs
where job_id = $1::text
