-- in:   $1 the work, $2 now, $3 a moment
-- out:  a row if no process has claimed it since $3: it is now ours
-- why:  only one of several processes does it; if that one dies, another takes over when the work is next due
insert into background_work as w (work, claimed_at)
values ($1::text, $2::timestamptz)
on conflict (work) do update set claimed_at = excluded.claimed_at where w.claimed_at <= $3::timestamptz
returning work
