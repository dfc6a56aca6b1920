-- in:   $1 a day
-- out:  nothing
-- why:  older counts are never queried
delete from feed_days where day < $1::date
