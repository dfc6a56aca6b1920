-- What players can still spend, found when a sweep looks at all accounts closely (docs/statistics.md). Null where it looked at a part of them.
alter table account_sweeps
  add column day         date,    -- whose end the points below are of, in the time zone of the version that held
  add column outstanding numeric, -- can be spent, what is held included; of accounts above 0
  add column pending     numeric, -- cannot be spent yet
  add column held        numeric,
  add column expired     numeric;
