-- in:   $1 the process, $2 the moment
-- out:  the job that waits for longest, running from now on; no row while another runs or none waits
-- why:  one job at a time, whichever process runs it
update jobs
set state = 'running', runner = $1::text, began_at = $2::timestamptz, seen_at = clock_timestamp()
where job_id = (select job_id from jobs where state = 'waiting' order by asked_at, job_id limit 1)
  and not exists (select from jobs where state = 'running')
returning job_id, kind, request
