-- in:   $1 keys
-- out:  nothing
-- why:  a setting that is not stored has its default
delete from settings where key = any ($1::text[])
