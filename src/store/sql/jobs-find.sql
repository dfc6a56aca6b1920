-- in:   $1 job id
-- out:  the job with its result, or no row
-- why:  results may be large: no other statement reads them
select
  -- include: stored-job
  , result
from jobs
where job_id = $1::text
