-- in:   nothing
-- out:  the latest sweep, with the points of the latest one that examined all accounts; moments as RFC 3339, sums as text
-- why:  the figures shown are those of that moment
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, players, balance::text as balance, debts::text as debts,
  sampled, active_30, active_90, levels, of_all, top,
  (
    select json_build_object(
      'at', to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'day', day,
      'outstanding', outstanding::text, 'pending', pending::text, 'held', held::text, 'expired', expired::text
    )
    from account_sweeps
    where day is not null
    order by account_sweeps.at desc
    limit 1
  ) as points
from account_sweeps
order by account_sweeps.at desc
limit 1
