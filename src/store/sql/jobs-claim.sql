-- in:   $1 the claim, $2 the moment
-- out:  the job that has waited longest, now running; or the one already running under this claim; no row if another is running or none is waiting
-- why:  one job at a time across all processes; a claim whose outcome is unknown is sent again, and must find its own job
update jobs
set state = 'running', runner = $1::text, began_at = $2::timestamptz, seen_at = clock_timestamp()
where job_id = (
  select job_id
  from jobs
  where (state = 'running' and runner = $1::text)
    or (state = 'waiting' and not exists (select from jobs where state = 'running'))
  order by asked_at, job_id
  limit 1
)
returning job_id, kind, request, runner
