-- in:   nothing
-- out:  every job without its request and its result, newest first
-- why:  few are kept, so a list needs no pages
select
  -- include: stored-job
from jobs
order by jobs.asked_at desc, job_id
