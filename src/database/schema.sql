-- The schema that the migrations make, for readers; nothing runs this file. `npm run schemas` writes it, and a test compares it with both
-- databases. Comments are those of the migrations.

-- How many accounts have their latest order on a day.
create table account_activity (
  ordered_on date not null,
  players    bigint not null,
  primary key (ordered_on)
);

-- Accounts that were written and are not yet counted anew in account_figures. Append-only, without an index, like tallies.
create table account_changes (
  user_id    text collate "C" not null,
  changed_at timestamptz default now() not null -- when its transaction began
);

-- What each account adds to account_totals (docs/decisions/0207-figures-state-when-they-are-true.md).
create table account_figures (
  user_id     text collate "C" not null,
  outstanding bigint not null, -- can be spent, what is held included; 0 for accounts below 0
  pending     bigint not null, -- cannot be spent yet
  held        bigint not null,
  expired     bigint not null,
  ordered_on  date, -- day of the latest order
  due_at      timestamptz, -- when points of the account next become usable, expire or are no longer held
  primary key (user_id)
);
create index account_figures_due on account_figures (due_at) where due_at is not null;

-- What no tally can know, looked at now and then: who is at which level, who is active, who has most (docs/statistics.md).
create table account_sweeps (
  at          timestamptz not null, -- when it began; the last account was looked at some time later
  players     bigint not null, -- with an account
  balance     numeric not null, -- of all accounts above 0
  debts       numeric not null, -- of those below
  sampled     bigint not null, -- so many were looked at for activity, and for levels that count a window
  active_30   bigint not null, -- of these, with an order in the last 30 days
  active_90   bigint not null,
  levels      json not null, -- names in the order of the ladder, and how many of these are there, or of all where all points count
  of_all      boolean not null, -- whether levels are of all accounts
  top         json, -- ids and balances of the hundred largest; only of the last sweep
  day         date,
  outstanding numeric,
  pending     numeric,
  held        numeric,
  expired     numeric,
  primary key (at)
);

-- The sums of account_figures; no row before the first accounts are counted.
create table account_totals (
  place       smallint default 1 not null, -- one row
  as_of       timestamptz, -- every account is counted as it was then or later; null before all were counted
  players     bigint default 0 not null,
  outstanding numeric default 0 not null,
  pending     numeric default 0 not null,
  held        numeric default 0 not null,
  expired     numeric default 0 not null,
  basis       text, -- what of the versions decides about days, when all accounts were last counted
  scan_basis  text, -- the same of the scan in progress
  scanned_to  text collate "C", -- the last account of the scan in progress; null if none is
  scanned_on  date, -- day of the last scan
  primary key (place),
  check (place = 1)
);

-- Sums over a player's entries, and nothing that the entries do not say: `laurel ledger verify` derives every one anew.
create table accounts (
  user_id        text collate "C" not null,
  points         bigint not null, -- the balance
  counted        bigint not null, -- of it what counts for the level
  orders         bigint not null,
  entries        bigint not null, -- the sequence of the last one
  first_order_id text collate "C", -- the first order ever recorded as placed
  rev            bigint not null,
  movements      text,
  movements_rev  bigint,
  primary key (user_id)
) with (fillfactor=50);

-- What people did, and who: no statement of ours changes or deletes one, and none has values of personal data.
create table acts (
  at      timestamptz not null,
  act_id  text collate "C" not null,
  by      text not null, -- the id of a token
  act     text not null,
  subject text not null, -- on what: an id, masked where it is an address or a number
  detail  json not null,
  primary key (at, act_id)
);

-- Work that one process does for all, now and then: who does it writes when.
create table background_work (
  work       text collate "C" not null,
  claimed_at timestamptz not null,
  primary key (work)
);

-- Orders that came to something else than was predicted, when they were first recorded: examples behind the statistics. Kept as long as predictions.
create table differed_predictions (
  user_id          text collate "C" not null,
  order_id         text collate "C" not null,
  recorded_at      timestamptz not null,
  reasons          text not null, -- + between
  told_points      bigint not null,
  told_level       text not null,
  told_program     bigint not null,
  recorded_points  bigint not null,
  recorded_level   text not null,
  recorded_program bigint not null,
  primary key (user_id, order_id)
);
create index differed_predictions_by_age on differed_predictions (recorded_at);

-- Programs that people write in the console and have not published. Nothing else reads them.
create table drafts (
  draft_id   text collate "C" not null,
  name       text not null,
  source     text not null,
  cases      text not null, -- test orders, or empty
  based_on   integer, -- the version that it was begun from
  revision   integer not null, -- one more for each change
  created_at timestamptz not null,
  created_by text not null, -- the id of a token
  changed_at timestamptz not null,
  changed_by text not null, -- the id of a token
  primary key (draft_id)
);

-- Append-only: nothing here is updated or deleted, a correction is an entry of its own.
create table entries (
  user_id         text collate "C" not null,
  seq             bigint not null,
  kind            text not null,
  points          bigint not null, -- signed
  counts          boolean not null, -- for the level
  order_id        text collate "C",
  revision        bigint,
  program_version bigint,
  at              timestamptz not null, -- of an order's entries: the order's moment
  adjustment_id   text collate "C",
  reason          text,
  explanation     json,
  recorded_at     timestamptz not null,
  day             date,
  booked_day      date,
  change          text,
  by              text,
  usable_on       date,
  expires_on      date,
  slides          boolean,
  redemption_id   text,
  level_points    bigint,
  primary key (user_id, seq)
);
create unique index entries_by_adjustment on entries (user_id, adjustment_id) where adjustment_id is not null;
create index entries_of_nothing on entries (coalesce(explanation ->> 'nothing'::text, 'unknown'::text), at, order_id) where kind = 'order'::text and revision = 1 and points = 0;

-- People who were erased (docs/privacy.md). Nobody learns an id from here without the key, which the database does not have.
create table erasures (
  digest    bytea not null, -- HMAC-SHA-256 of the id; in one row that of the empty text, which tells whether a key is the one
  erased_at timestamptz not null,
  erased_by text not null, -- the id of a token
  moved_to  text collate "C", -- the id that stands for one that was an e-mail address or a phone number
  primary key (digest)
);

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

-- Long work that the service does beside its requests, on a snapshot (docs/decisions/0125-jobs.md).
create table jobs (
  job_id       text collate "C" not null,
  kind         text not null,
  state        text not null, -- waiting, running, done, failed, cancelled, interrupted
  request      text not null, -- JSON, as it was asked
  asked_by     text not null, -- the id of the token
  asked_at     timestamptz not null,
  began_at     timestamptz,
  ended_at     timestamptz,
  snapshot_at  timestamptz, -- what it reads is as it was then
  pause_ms     bigint, -- how long taking the snapshot held up everybody else
  progress     text default '[]'::text not null, -- JSON
  runner       text, -- the process that runs it
  seen_at      timestamptz, -- when that process last said so
  is_cancelled boolean default false not null,
  error        text,
  result       text, -- JSON
  primary key (job_id)
);

-- The oldest version of the schema that code must know to open this database, however new its schema is. One row; a migration that such code cannot
-- work with raises it. Where the table is missing, code must know every migration that was applied (docs/decisions/0219-migrations-only-add.md).
create table laurel_schema_compatibility (
  oldest_version bigint not null,
  primary key (oldest_version)
);

create table laurel_schema_version (
  version bigint not null,
  name    text,
  md5     text,
  run_at  timestamptz,
  primary key (version)
);

-- An order id has one owner over all players. The only table of players that is not keyed by user_id.
create table order_owners (
  order_id text collate "C" not null,
  user_id  text collate "C" not null,
  primary key (order_id)
);

create table orders (
  user_id         text collate "C" not null,
  order_id        text collate "C" not null,
  ordered_at      timestamptz not null,
  state           json not null, -- lines, amounts, status, referral code; contact data is not state
  program_version bigint not null, -- of the first recording, as the facts are
  facts           json not null, -- what the player, the prices and the referral codes were when they were first needed
  points          bigint not null, -- what the order earns now: the sum of its entries on its player's account
  referrer_id     text collate "C",
  referrer_points bigint not null, -- what it gives the referrer now: the sum of its entries there
  rev             bigint not null,
  recorded_at     timestamptz not null,
  updated_at      timestamptz not null,
  first_digests   json, -- of a changed order: what it said when it was first recorded
  state_version   bigint,
  primary key (user_id, order_id)
);
create index orders_by_moment on orders (ordered_at);
create index orders_by_referrer on orders (referrer_id) where referrer_id is not null;

create table players (
  user_id       text collate "C" not null,
  name          text not null,
  email         text not null,
  phone         text not null,
  address       text not null,
  date_of_birth date,
  gender        text not null,
  refer_code    text not null,
  state         text not null,
  district      text not null,
  referred_by   text not null,
  pincode       text not null,
  country       text not null,
  row_hash      bytea not null, -- 16 bytes over all values above: equal hashes are equal records
  rev           bigint not null, -- 1 for a new record, one more for each change
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  state_version bigint,
  participates  boolean,
  attributes    json,
  primary key (user_id)
);
create index players_by_contact on players using brin (lower(email collate "C") text_bloom_ops (n_distinct_per_range='400'), ltrim(phone collate "C", '+'::text) text_bloom_ops (n_distinct_per_range='400')) with (pages_per_range='8');
create index players_by_refer_code on players (refer_code) where refer_code <> ''::text;

-- What was answered, for statistics. No contact data; nothing that is answered is computed from it.
create table predictions (
  user_id         text collate "C" not null,
  order_id        text collate "C" not null,
  predicted_at    timestamptz not null,
  prediction_id   uuid not null,
  token_id        text collate "C" not null, -- who asked
  points          bigint not null,
  referred        boolean not null, -- a referral code counted
  level_before    text not null,
  level_after     text not null,
  program_version bigint not null,
  order_digest    bytea not null, -- 8 bytes each: of what the order said, the player's facts, the catalogue's prices
  player_digest   bytea not null,
  prices_digest   bytea not null,
  duration_us     bigint not null,
  kept            bigint not null, -- of the seen predictions of this second on this replica so many were kept
  seen            bigint not null,
  ordered_at      timestamptz, -- the order's moment
  primary key (user_id, order_id, predicted_at, prediction_id)
);
create index predictions_by_age on predictions (predicted_at);

-- What a shop says about its products besides the price: each distinct set once, under the SHA-256 of its text, as orders keep what they saw by its digest.
create table product_attributes (
  digest     text not null,
  attributes text not null, -- JSON: an object with its names in order
  primary key (digest)
);

create table products (
  sku               text collate "C" not null,
  price             numeric(19,4) not null,
  rev               bigint not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  state_version     bigint,
  attributes_digest text,
  primary key (sku)
);

create table programs (
  version           bigint not null,
  name              text not null,
  publisher         text not null,
  note              text not null,
  holds_from        timestamptz not null, -- -infinity: since the beginning of time
  source            text not null, -- the file as it was published, comments included
  published_at      timestamptz not null,
  withdrawn_at      timestamptz,
  withdrawn_by      text,
  rounds_first_days boolean default false not null,
  primary key (version)
);

-- Points that are held, or were spent, under an id of the client's. A hold is no entry: it lapses by the clock alone.
create table redemptions (
  user_id         text collate "C" not null,
  redemption_id   text collate "C" not null,
  state           text not null, -- held, confirmed (spent without an order), used (by its order), voided
  points          bigint not null,
  reward          text,
  order_id        text collate "C", -- that it is for, or that has used it
  program_version bigint not null,
  held_on         date not null, -- the day whose points it draws on
  held_until      timestamptz, -- of a hold
  rev             bigint not null,
  by              text not null, -- the id of the token
  reason          text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  voided_parts    json, -- [{"points": "200", "reason": "..."}]; null: none
  primary key (user_id, redemption_id)
);
create index redemptions_held on redemptions (user_id) where state = 'held'::text;

-- What this database alone knows, from which keys are derived (docs/decisions/0218-handles-of-players.md). A start stores what is missing.
create table secrets (
  name   text collate "C" not null,
  secret bytea not null,
  primary key (name)
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

-- Who is signed in to the console, and with which token: it may do what that token may.
create table sessions (
  session_id   text collate "C" not null,
  digest       bytea not null, -- SHA-256 of the cookie; the cookie itself is never kept
  token_id     text collate "C" not null,
  browser      text not null,
  created_at   timestamptz not null,
  last_used_at timestamptz not null, -- to the minute
  expires_at   timestamptz not null,
  primary key (session_id)
);

-- Facts about the shop, the same for all processes. A key that is not here has its default.
create table settings (
  key        text collate "C" not null,
  value      json not null,
  changed_at timestamptz not null,
  changed_by text not null, -- the id of a token
  primary key (key)
);

-- One-time links to the console.
create table sign_in_codes (
  digest     bytea not null, -- SHA-256 of the code
  token_id   text collate "C" not null,
  expires_at timestamptz not null,
  used_by    text, -- the session that it has opened
  primary key (digest)
);

-- How far entries from before days were kept (0012) are counted in the statistics, in the order of their keys. No row: there were none.
create table statistics_backfill (
  user_id text collate "C" not null,
  seq     bigint not null,
  counted bigint not null,
  done    boolean not null
);

create table statistics_days (
  basis   text collate "C" not null, -- ordered, booked
  day     date not null,
  measure text collate "C" not null,
  program bigint not null,
  key     text collate "C" not null,
  n       bigint not null,
  points  numeric not null,
  primary key (basis, measure, day, program, key)
);

create table statistics_months (
  basis   text collate "C" not null,
  month   date not null, -- its first day
  measure text collate "C" not null,
  program bigint not null,
  key     text collate "C" not null,
  n       bigint not null,
  points  numeric not null,
  primary key (basis, measure, month, program, key)
);

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

create table tokens (
  token_id     text collate "C" not null,
  name         text not null,
  digest       bytea not null, -- SHA-256 of the token's text; the token itself is never kept
  scopes       jsonb not null,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  primary key (token_id)
);

-- Products that orders and predictions have named and the catalogue did not know: counted beside the ledger (docs/decisions/0126-unknown-products.md).
create table unknown_products (
  sku            text collate "C" not null,
  orders         bigint not null, -- when they were recorded first
  predictions    bigint not null,
  first_named_at timestamptz not null,
  last_named_at  timestamptz not null,
  order_id       text collate "C", -- the last of the orders
  primary key (sku)
);
