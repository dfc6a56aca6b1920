-- in:   $1 a day
-- out:  nothing
-- why:  what is older is not asked for
delete from feed_days where day < $1::date
