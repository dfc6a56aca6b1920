-- in:   $1 orders of a range at least, $2 ranges at most, nearly
-- out:  the last players of ranges of players that have about as many orders each, in their order; the last range is open
-- why:  threads take a range each; an account without orders is work, too
with counted as (
  select user_id, sum(orders + 1) over (order by user_id) as so_far, sum(orders + 1) over () as total
  from accounts
)
select max(user_id) as last
from counted
group by div(so_far, greatest($1::numeric, div(total, $2::numeric)))
order by last
