-- in:   nothing
-- out:  one row: the highest version, 0 where there is none
-- why:  versions never change, so this number says whether there is a new one to read
select coalesce(max(version), 0) as version from programs
