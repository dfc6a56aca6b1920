-- in:   $1 a key
-- out:  a row if the record exists
-- why:  a version sent too high by mistake would block every later state
update :table
set state_version = null
where :key = $1::text
returning 1 as one
