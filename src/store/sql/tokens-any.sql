-- in:   nothing
-- out:  one row: found, whether a token was ever created
-- why:  the first start on an empty database creates one
select exists (select from tokens) as found
