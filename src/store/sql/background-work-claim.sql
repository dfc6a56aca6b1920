-- in:   $1 what, $2 now, $3 a moment
-- out:  a row where nobody has claimed it since $3: it is ours
-- why:  of several processes one does it; one that dies is followed by another when it is due again
insert into background_work as w (work, claimed_at)
values ($1::text, $2::timestamptz)
on conflict (work) do update set claimed_at = excluded.claimed_at where w.claimed_at <= $3::timestamptz
returning work
