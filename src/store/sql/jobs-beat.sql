-- in:   $1 job id, $2 the process, $3 progress as JSON, $4 the moment of the snapshot or null, $5 its pause in ms or null
-- out:  whether somebody has cancelled the job; no row where it is not this process's any more
-- why:  says that its process lives, how far it has come, and hears of a cancellation in one statement
update jobs
set progress = $3::text, snapshot_at = $4::timestamptz, pause_ms = $5::bigint, seen_at = clock_timestamp()
where job_id = $1::text and runner = $2::text and state = 'running'
returning is_cancelled
