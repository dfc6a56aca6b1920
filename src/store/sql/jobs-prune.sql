-- in:   $1 how many ended jobs are kept, $2 from which moment on
-- out:  nothing
-- why:  results are kept for a while, and never many
delete from jobs
where state not in ('waiting', 'running')
  and (ended_at < $2::timestamptz
    or job_id in (select job_id from jobs where state not in ('waiting', 'running') order by asked_at desc, job_id offset $1::bigint))
