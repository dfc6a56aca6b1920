-- in:   $1 the moment, $2 the moment after which a session must have been used, $3 how many sessions a token may have
-- out:  nothing
-- why:  each sign-in deletes expired sessions, and the oldest of a token that signs in again and again
with numbered as (
  select session_id, row_number() over (partition by token_id order by created_at desc, session_id) as place from sessions
)
delete from sessions using numbered
where sessions.session_id = numbered.session_id
  and (expires_at <= $1::timestamptz or last_used_at <= $2::timestamptz or place > $3::bigint)
