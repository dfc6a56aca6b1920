-- in:   $1 job id, $2 the process, $3 the state, $4 the moment, $5 progress as JSON, $6 error or null, $7 result as JSON or null
-- out:  nothing
-- why:  a job already marked as interrupted stays that way
update jobs
set state = $3::text, ended_at = $4::timestamptz, progress = $5::text, error = $6::text, result = $7::text
where job_id = $1::text and runner = $2::text and state = 'running'
