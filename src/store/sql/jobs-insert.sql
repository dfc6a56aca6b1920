-- in:   $1 job id, $2 kind, $3 the request as JSON, $4 by whom, $5 the moment
-- out:  nothing
-- why:  a retry after an unknown outcome writes the same row again and must succeed
insert into jobs (job_id, kind, state, request, asked_by, asked_at)
values ($1::text, $2::text, 'waiting', $3::text, $4::text, $5::timestamptz)
on conflict (job_id) do nothing
