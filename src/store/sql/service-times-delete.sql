-- in:   $1 and $2 moments
-- out:  nothing
-- why:  minutes before $1 and hours before $2 are no longer kept
delete from service_times where (span = 'minute' and starts < $1::timestamptz) or (span = 'hour' and starts < $2::timestamptz)
