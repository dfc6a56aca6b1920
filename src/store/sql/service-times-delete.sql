-- in:   $1 and $2 moments
-- out:  nothing
-- why:  minutes from before the first and hours from before the second are not kept
delete from service_times where (span = 'minute' and starts < $1::timestamptz) or (span = 'hour' and starts < $2::timestamptz)
