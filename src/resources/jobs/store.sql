-- fragment: stored-job
-- in:   a row of jobs
-- out:  the columns shown for a job, without its request and result; moments as RFC 3339
-- why:  one format for a single job and for the list
job_id, kind, state, asked_by,
to_char(asked_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as asked_at,
to_char(began_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as began_at,
to_char(ended_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at,
to_char(snapshot_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as snapshot_at,
pause_ms, progress, error

-- name: jobs-insert
-- in:   $1 job id, $2 kind, $3 the request as JSON, $4 by whom, $5 the moment
-- out:  nothing
-- why:  a retry after an unknown outcome writes the same row again and must succeed
insert into jobs (job_id, kind, state, request, asked_by, asked_at)
values ($1::text, $2::text, 'waiting', $3::text, $4::text, $5::timestamptz)
on conflict (job_id) do nothing

-- name: jobs-list
-- in:   nothing
-- out:  all jobs without their requests and results, newest first
-- why:  few are kept, so the list needs no pages
select
  -- include: stored-job
from jobs
order by jobs.asked_at desc, job_id

-- name: jobs-find
-- in:   $1 job id
-- out:  the job with its result, or no row
-- why:  results may be large: no other statement reads them
select
  -- include: stored-job
  , result
from jobs
where job_id = $1::text

-- name: jobs-open
-- in:   nothing
-- out:  how many jobs are waiting, and how many are running
-- why:  polled every second, so that nothing is written while there is no work
select count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'running')::int as running
from jobs
where state in ('waiting', 'running')

-- name: jobs-waiting
-- in:   $1 who asks
-- out:  how many jobs wait, and how many of them this token has asked for
-- why:  the queue is bounded, and each token has a share of it
select count(*)::int as waiting, count(*) filter (where asked_by = $1::text)::int as "ofToken"
from jobs
where state = 'waiting'

-- name: jobs-last-of-kind
-- in:   $1 a kind
-- out:  the state of the most recently requested job of this kind, and when it ended, as RFC 3339; no row if none is stored
-- why:  keeps the service from requesting its own jobs twice
select state, to_char(ended_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at
from jobs
where kind = $1::text
order by jobs.asked_at desc
limit 1

-- name: jobs-claim
-- in:   $1 the claim, $2 the moment
-- out:  the oldest waiting job of the token whose last job began longest ago, now running; or the one already running under this claim; no row if another is running or none is waiting
-- why:  one job at a time across all processes; a claim whose outcome is unknown is sent again, and must find its own job.; tokens take turns
update jobs
set state = 'running', runner = $1::text, began_at = $2::timestamptz, seen_at = clock_timestamp()
where job_id = (
  select job_id
  from jobs
  where (state = 'running' and runner = $1::text)
    or (state = 'waiting' and not exists (select 1 from jobs where state = 'running'))
  order by (select max(began_at) from jobs served where served.asked_by = jobs.asked_by) nulls first, asked_at, job_id
  limit 1
)
returning job_id, kind, request, runner

-- name: jobs-heartbeat
-- in:   $1 job id, $2 the claim, $3 progress as JSON, $4 the moment of the snapshot or null, $5 its pause in ms or null
-- out:  whether the job has been cancelled; no row if it no longer belongs to this claim
-- why:  reports that the process is alive and how far it is, and learns of a cancellation, in one statement
update jobs
set progress = $3::text, snapshot_at = $4::timestamptz, pause_ms = $5::bigint, seen_at = clock_timestamp()
where job_id = $1::text and runner = $2::text and state = 'running'
returning is_cancelled

-- name: jobs-end
-- in:   $1 job id, $2 the claim, $3 the state, $4 the moment, $5 error or null, $6 result as JSON or null
-- out:  the job's id; no row if it no longer belongs to this claim
-- why:  a job already marked as interrupted stays that way; a retry after an unknown outcome writes the same row again
update jobs
set state = $3::text, ended_at = $4::timestamptz, error = $5::text, result = $6::text
where job_id = $1::text and runner = $2::text and state in ('running', $3::text)
returning job_id

-- name: jobs-cancel
-- in:   $1 job id, $2 the moment
-- out:  nothing
-- why:  a waiting job ends at once; a running one is stopped by its process, which sees the flag; others are left alone
update jobs
set is_cancelled = true,
  state = case state when 'waiting' then 'cancelled' else state end,
  ended_at = case state when 'waiting' then $2::timestamptz end
where job_id = $1::text and state in ('waiting', 'running')

-- name: jobs-interrupt
-- in:   $1 the moment, $2 after how many seconds of silence; null: at once
-- out:  the jobs whose process is gone, now marked as interrupted
-- why:  a killed process cannot report it itself
update jobs
set state = 'interrupted', ended_at = $1::timestamptz
where state = 'running' and ($2::bigint is null or seen_at < clock_timestamp() - make_interval(secs => $2::bigint))
returning job_id

-- name: jobs-prune
-- in:   $1 how many ended jobs are kept, $2 the moment before which they are deleted
-- out:  nothing
-- why:  bounds the stored results in number and age
delete from jobs
where state not in ('waiting', 'running')
  and (ended_at < $2::timestamptz
    or job_id in (select job_id from jobs where state not in ('waiting', 'running') order by asked_at desc, job_id offset $1::bigint))
