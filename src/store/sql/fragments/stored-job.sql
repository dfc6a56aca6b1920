-- in:   a row of jobs
-- out:  the columns shown for a job, without its request and result; moments as RFC 3339
-- why:  one format for a single job and for the list
job_id, kind, state, asked_by,
to_char(asked_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as asked_at,
to_char(began_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as began_at,
to_char(ended_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at,
to_char(snapshot_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as snapshot_at,
pause_ms, progress, error
