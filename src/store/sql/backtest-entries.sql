-- in:   $1 until when
-- out:  nothing; the cursor backtest_entries has a text for each moment at which a player's counting points change, by player and moment
-- why:  what counts at a moment, where the candidate counts otherwise than the program that held
declare backtest_entries no scroll cursor for
select concat_ws(E'\t', user_id, at, sum(points)) as line
from entries
where counts and at < $1::timestamptz
group by user_id, at
order by user_id, at
