-- in:   $1 the process, $2 the moment
-- out:  the job that has waited longest, now running; no row if another is running or none is waiting
-- why:  one job at a time across all processes
update jobs
set state = 'running', runner = $1::text, began_at = $2::timestamptz, seen_at = clock_timestamp()
where job_id = (select job_id from jobs where state = 'waiting' order by asked_at, job_id limit 1)
  and not exists (select from jobs where state = 'running')
returning job_id, kind, request
