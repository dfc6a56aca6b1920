-- in:   nothing
-- out:  one row: found, whether a token was ever made
-- why:  the first start of an empty database makes one
select exists (select from tokens) as found
