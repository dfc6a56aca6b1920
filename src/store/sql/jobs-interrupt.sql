-- in:   $1 the moment, $2 after how many seconds of silence; null: at once
-- out:  the jobs whose process is gone, now marked as interrupted
-- why:  a killed process cannot report it itself
update jobs
set state = 'interrupted', ended_at = $1::timestamptz
where state = 'running' and ($2::bigint is null or seen_at < clock_timestamp() - make_interval(secs => $2::bigint))
returning job_id
