-- An order id has one owner over all players. The only table of players that is not keyed by user_id.
create table order_owners (
  order_id text collate "C" primary key,
  user_id  text collate "C" not null
);
create table orders (
  user_id         text collate "C" not null,
  order_id        text collate "C" not null,
  ordered_at      timestamptz not null,
  state           json not null,   -- lines, amounts, status, referral code; contact data is not state
  program_version bigint not null, -- of the first recording, as the facts are
  facts           json not null,   -- what the player, the prices and the referral codes were when they were first needed
  points          bigint not null, -- what the order earns now: the sum of its entries on its player's account
  referrer_id     text collate "C",
  referrer_points bigint not null, -- what it gives the referrer now: the sum of its entries there
  rev             bigint not null,
  recorded_at     timestamptz not null,
  updated_at      timestamptz not null,
  primary key (user_id, order_id)
);
create index orders_by_moment on orders (ordered_at);
create index orders_by_referrer on orders (referrer_id) where referrer_id is not null;
-- Sums over a player's entries, and nothing that the entries do not say: `laurel ledger verify` derives every one anew.
create table accounts (
  user_id        text collate "C" primary key,
  points         bigint not null, -- the balance
  counted        bigint not null, -- of it what counts for the level
  orders         bigint not null,
  entries        bigint not null, -- the sequence of the last one
  first_order_id text collate "C", -- the first order ever recorded as placed
  rev            bigint not null
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
  primary key (user_id, seq)
);
create unique index entries_by_adjustment on entries (user_id, adjustment_id) where adjustment_id is not null;
create index players_by_refer_code on players (refer_code) where refer_code <> '';
