-- in:   $1 session id
-- out:  one row with the id of its token, if the session existed
-- why:  an ended session is deleted; the acts keep a record of it
delete from sessions where session_id = $1::text returning token_id
