-- in:   $1 job id, $2 the claim, $3 progress as JSON, $4 the moment of the snapshot or null, $5 its pause in ms or null
-- out:  whether the job has been cancelled; no row if it no longer belongs to this claim
-- why:  reports that the process is alive and how far it is, and learns of a cancellation, in one statement
update jobs
set progress = $3::text, snapshot_at = $4::timestamptz, pause_ms = $5::bigint, seen_at = clock_timestamp()
where job_id = $1::text and runner = $2::text and state = 'running'
returning is_cancelled
