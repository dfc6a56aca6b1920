-- in:   $1 job id, $2 the claim, $3 the state, $4 the moment, $5 error or null, $6 result as JSON or null
-- out:  the job's id; no row if it no longer belongs to this claim
-- why:  a job already marked as interrupted stays that way; a retry after an unknown outcome writes the same row again
update jobs
set state = $3::text, ended_at = $4::timestamptz, error = $5::text, result = $6::text
where job_id = $1::text and runner = $2::text and state in ('running', $3::text)
returning job_id
