-- in:   $1 how many ended jobs are kept, $2 the moment before which they are deleted
-- out:  nothing
-- why:  bounds the stored results in number and age
delete from jobs
where state not in ('waiting', 'running')
  and (ended_at < $2::timestamptz
    or job_id in (select job_id from jobs where state not in ('waiting', 'running') order by asked_at desc, job_id offset $1::bigint))
