-- in:   $1 a key
-- out:  a row where there is such a record
-- why:  a version that was sent too high would keep every later state out
update :table
set state_version = null
where :key = $1::text
returning 1 as one
