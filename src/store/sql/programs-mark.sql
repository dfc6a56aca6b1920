-- in:   nothing
-- out:  one row: how many versions were published and how many withdrawn, as a text that only grows
-- why:  versions change in no other way, so an equal text says that there is nothing to read anew
select count(*) || '/' || count(withdrawn_at) as mark from programs
