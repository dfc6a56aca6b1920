-- in:   $1 job id, $2 the moment
-- out:  nothing
-- why:  one that waits ends at once; one that runs is ended by its process, which hears of it; others stay as they are
update jobs
set is_cancelled = true,
  state = case state when 'waiting' then 'cancelled' else state end,
  ended_at = case state when 'waiting' then $2::timestamptz end
where job_id = $1::text and state in ('waiting', 'running')
