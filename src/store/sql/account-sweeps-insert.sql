-- in:   $1 to $15 the columns of account_sweeps; $16 a moment
-- out:  nothing
-- why:  keeps one sweep per hour, the latest; only the latest sweep of all keeps its list of largest balances; older than $16 is deleted
with gone as (
  delete from account_sweeps
  where at < $16::timestamptz or at >= date_trunc('hour', $1::timestamptz, 'utc') and at < $1::timestamptz
),
older as (
  update account_sweeps set top = null
  where top is not null and at >= $16::timestamptz and at < date_trunc('hour', $1::timestamptz, 'utc')
)
insert into account_sweeps (
  at, players, balance, debts, sampled, active_30, active_90, levels, of_all, top, day, outstanding, pending, held, expired
)
values (
  $1::timestamptz, $2::bigint, $3::numeric, $4::numeric, $5::bigint, $6::bigint, $7::bigint, $8::json, $9::boolean, $10::json,
  $11::date, $12::numeric, $13::numeric, $14::numeric, $15::numeric
)
on conflict (at) do nothing
