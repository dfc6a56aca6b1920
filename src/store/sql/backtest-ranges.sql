-- in:   $1 the minimum number of orders in a range, $2 the approximate maximum number of ranges
-- out:  the last player of each range, in order, with about the same number of orders in each; the last range is open
-- why:  threads take one range at a time; an account without orders is work, too
with counted as (
  select user_id, sum(orders + 1) over (order by user_id) as so_far, sum(orders + 1) over () as total
  from accounts
)
select max(user_id) as last
from counted
group by div(so_far, greatest($1::numeric, div(total, $2::numeric)))
order by last
