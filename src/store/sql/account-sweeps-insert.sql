-- in:   $1 to $10 the columns of account_sweeps; $11 a moment
-- out:  nothing
-- why:  only the last one keeps whose balances are the largest; those from before the moment go
with gone as (
  delete from account_sweeps where at < $11::timestamptz
),
older as (
  update account_sweeps set top = null where top is not null and at >= $11::timestamptz
)
insert into account_sweeps (at, players, balance, debts, sampled, active_30, active_90, levels, of_all, top)
values ($1::timestamptz, $2::bigint, $3::numeric, $4::numeric, $5::bigint, $6::bigint, $7::bigint, $8::json, $9::boolean, $10::json)
on conflict (at) do nothing
