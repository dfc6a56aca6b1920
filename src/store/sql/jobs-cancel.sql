-- in:   $1 job id, $2 the moment
-- out:  nothing
-- why:  a waiting job ends at once; a running one is stopped by its process, which sees the flag; others are left alone
update jobs
set is_cancelled = true,
  state = case state when 'waiting' then 'cancelled' else state end,
  ended_at = case state when 'waiting' then $2::timestamptz end
where job_id = $1::text and state in ('waiting', 'running')
