-- in:   $1 until when; $2 and $3 the players after the first up to the second, to the end where it is null
-- out:  nothing; the cursor backtest_entries has a text for each moment at which a player's counting points change, by player and moment
-- why:  what counts at a moment, where the candidate counts otherwise than the program that held
declare backtest_entries no scroll cursor for
select concat_ws(E'\t', user_id, at, sum(points)) as line
from entries
where counts and at < $1::timestamptz and user_id > $2::text and ($3::text is null or user_id <= $3::text)
group by user_id, at
order by user_id, at
