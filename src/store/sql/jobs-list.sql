-- in:   nothing
-- out:  all jobs without their requests and results, newest first
-- why:  few are kept, so the list needs no pages
select
  -- include: stored-job
from jobs
order by jobs.asked_at desc, job_id
