-- name: last-backup-note
-- in:   $1 a moment
-- out:  nothing
-- why:  operators are shown how old the last backup is
insert into background_work as w (work, claimed_at)
values ('backup', $1::timestamptz)
on conflict (work) do update set claimed_at = greatest(w.claimed_at, excluded.claimed_at)

-- name: last-backup-find
-- in:   nothing
-- out:  the moment of the last backup, as RFC 3339; no row if there was none
-- why:  operators are shown how old the last backup is
select to_char(claimed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
from background_work
where work = 'backup'
