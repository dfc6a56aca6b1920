-- in:   nothing
-- out:  one row: the numbers of published and of withdrawn versions, as one text
-- why:  both only grow, and versions change in no other way: while the text stays the same there is nothing to reload
select count(*) || '/' || count(withdrawn_at) as fingerprint from programs
