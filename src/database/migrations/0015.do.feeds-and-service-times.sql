-- What the service has counted in memory, added each second (docs/statistics.md). A kill loses the last one.
create table feed_days (
  day      date not null,
  noun     text collate "C" not null, -- players, products, orders, adjustments
  token_id text collate "C" not null,
  measure  text collate "C" not null, -- requests, inserted, updated, skipped, refused (records that were skipped as they could not be taken)
  field    text collate "C" not null, -- where a record was refused, and why, without what was sent
  kind     text collate "C" not null,
  n        bigint not null,
  primary key (day, noun, token_id, measure, field, kind)
);
create table feed_last (
  noun         text collate "C" not null,
  token_id     text collate "C" not null,
  last_good_at timestamptz not null, -- the last request of which not every record was refused
  gap_ms       bigint, -- usual time between two of them, a minute and more apart
  primary key (noun, token_id)
);
-- Requests by how long they took.
create table service_times (
  span    text collate "C" not null, -- minute, hour
  starts  timestamptz not null,
  route   text collate "C" not null,
  invalid bigint not null, -- answered with 4xx
  refused bigint not null, -- with 429 or 503
  failed  bigint not null, -- with another 5xx
  ms_1    bigint not null, -- in up to 1 ms; the next in longer, up to 2.5 ms
  ms_2_5  bigint not null,
  ms_5    bigint not null,
  ms_10   bigint not null,
  ms_25   bigint not null,
  ms_50   bigint not null,
  ms_100  bigint not null,
  ms_250  bigint not null,
  ms_500  bigint not null,
  s_1     bigint not null,
  s_2_5   bigint not null,
  s_5     bigint not null,
  s_10    bigint not null,
  longer  bigint not null,
  primary key (span, starts, route)
);
