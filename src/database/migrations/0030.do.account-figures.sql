-- Accounts that were written and are not yet counted anew in account_figures. Append-only, without an index, like tallies.
create table account_changes (
  user_id    text collate "C" not null,
  changed_at timestamptz not null default now() -- when its transaction began
);
-- What each account adds to account_totals (docs/decisions/0207-figures-state-when-they-are-true.md).
create table account_figures (
  user_id     text collate "C" primary key,
  outstanding bigint not null, -- can be spent, what is held included; 0 for accounts below 0
  pending     bigint not null, -- cannot be spent yet
  held        bigint not null,
  expired     bigint not null,
  ordered_on  date, -- day of the latest order
  due_at      timestamptz -- when points of the account next become usable, expire or are no longer held
);
create index account_figures_due on account_figures (due_at) where due_at is not null;
-- The sums of account_figures; no row before the first accounts are counted.
create table account_totals (
  place       smallint primary key default 1 check (place = 1), -- one row
  as_of       timestamptz, -- every account is counted as it was then or later; null before all were counted
  players     bigint not null default 0,
  outstanding numeric not null default 0,
  pending     numeric not null default 0,
  held        numeric not null default 0,
  expired     numeric not null default 0,
  basis       text, -- what of the versions decides about days, when all accounts were last counted
  scan_basis  text, -- the same of the scan in progress
  scanned_to  text collate "C", -- the last account of the scan in progress; null if none is
  scanned_on  date -- day of the last scan
);
-- How many accounts have their latest order on a day.
create table account_activity (
  ordered_on date primary key,
  players    bigint not null
);
