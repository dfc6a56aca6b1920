-- in:   $1 the exclusive end; the players in ($2, $3], to the end if $3 is null
-- out:  nothing; the cursor backtest_entries yields one line for each moment at which a player's counting points change, by player and moment
-- why:  which points count at a moment, if the candidate counts differently from the program in effect
declare backtest_entries no scroll cursor for
select concat_ws(E'\t', user_id, at, sum(points)) as line
from entries
where counts and at < $1::timestamptz and user_id > $2::text and ($3::text is null or user_id <= $3::text)
group by user_id, at
order by user_id, at
