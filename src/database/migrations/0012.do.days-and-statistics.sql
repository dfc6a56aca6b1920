-- Entries from before have none of these (docs/decisions/0080-days-of-an-entry.md, 0081-what-happened-to-an-order.md).
alter table entries
  add column day           date,    -- of its moment, in the time zone of the version that it is computed under
  add column booked_day    date,    -- of the recording, in the time zone of the version that held then
  add column change        text,    -- what its revision did to the order: placed, changed, moved, cancelled, returned
  add column by            text,    -- of an adjustment: the id of the token
  add column usable_on     date,
  add column expires_on    date,
  add column slides        boolean,
  add column redemption_id text,
  add column level_points  bigint;
-- What happened to the ledger, counted: an inbox that the ledger's own transactions write into, folded each second into days and months.
create table tallies (
  day     date not null, -- the order's day, or that of the recording
  booked  date not null,
  measure text collate "C" not null,
  program bigint not null, -- 0 where none decides
  key     text collate "C" not null,
  n       bigint not null,
  points  numeric not null
);
create table statistics_days (
  basis   text collate "C" not null, -- ordered, booked
  day     date not null,
  measure text collate "C" not null,
  program bigint not null,
  key     text collate "C" not null,
  n       bigint not null,
  points  numeric not null,
  primary key (basis, day, measure, program, key)
);
create table statistics_months (
  basis   text collate "C" not null,
  month   date not null, -- its first day
  measure text collate "C" not null,
  program bigint not null,
  key     text collate "C" not null,
  n       bigint not null,
  points  numeric not null,
  primary key (basis, month, measure, program, key)
);
