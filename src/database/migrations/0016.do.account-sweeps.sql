-- What no tally can know, looked at now and then: who is at which level, who is active, who has most (docs/statistics.md).
create table account_sweeps (
  at        timestamptz primary key, -- when it began; the last account was looked at some time later
  players   bigint not null, -- with an account
  balance   numeric not null, -- of all accounts above 0
  debts     numeric not null, -- of those below
  sampled   bigint not null, -- so many were looked at for activity, and for levels that count a window
  active_30 bigint not null, -- of these, with an order in the last 30 days
  active_90 bigint not null,
  levels    json not null, -- names in the order of the ladder, and how many of these are there, or of all where all points count
  of_all    boolean not null, -- whether levels are of all accounts
  top       json -- ids and balances of the hundred largest; only of the last sweep
);
-- Work that one process does for all, now and then: who does it writes when.
create table background_work (
  work       text collate "C" primary key,
  claimed_at timestamptz not null
);
