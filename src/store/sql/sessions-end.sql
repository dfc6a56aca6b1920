-- in:   $1 session id
-- out:  one row if there was such a session: whose token it had
-- why:  a session that has ended is nowhere any more; the acts remember it
delete from sessions where session_id = $1::text returning token_id
