-- name: players-not-to-write-to
-- in:   $1 user ids
-- out:  those of them who do not participate, or were erased
-- why:  a list for mailings is without them
select user_id from players where user_id = any ($1::text[]) and (participates is false or row_hash = '\x00')
