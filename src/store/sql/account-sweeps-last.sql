-- in:   nothing
-- out:  the last sweep, its moment as RFC 3339, sums as texts
-- why:  what is shown is of that moment
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, players, balance::text as balance, debts::text as debts,
  sampled, active_30, active_90, levels, of_all, top
from account_sweeps
order by at desc
limit 1
