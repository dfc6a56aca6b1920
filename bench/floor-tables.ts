/*
 * The tables of the floors, in a schema of their own: those of ours as they were on 2026-11-27. Whatever is saved on our rows since does not make the
 * floors quicker.
 */

/** Creates the schema `own` with tables for players, products, orders and entries. */
export const FLOOR_TABLES = `create schema own;
create table own.players (
  user_id text collate "C" primary key, name text not null, email text not null, phone text not null, address text not null, date_of_birth date,
  gender text not null, refer_code text not null, state text not null, district text not null, referred_by text not null, pincode text not null,
  country text not null, row_hash bytea not null, rev bigint not null, created_at timestamptz not null, updated_at timestamptz not null,
  state_version bigint
);
create index on own.players using brin (
  lower(email collate "C") text_bloom_ops (n_distinct_per_range = 400), ltrim(phone collate "C", '+') text_bloom_ops (n_distinct_per_range = 400)
) with (pages_per_range = 8);
create index on own.players (refer_code) where refer_code <> '';
create table own.products (
  sku text collate "C" primary key, price numeric(19, 4) not null, rev bigint not null, created_at timestamptz not null,
  updated_at timestamptz not null, state_version bigint
);
create table own.orders (
  user_id text collate "C" not null, order_id text collate "C" not null, ordered_at timestamptz not null, state json not null,
  program_version bigint not null, facts json not null, points bigint not null, referrer_id text collate "C", referrer_points bigint not null,
  rev bigint not null, recorded_at timestamptz not null, updated_at timestamptz not null, first_digests json, state_version bigint,
  primary key (user_id, order_id)
);
create index on own.orders (ordered_at);
create index on own.orders (referrer_id) where referrer_id is not null;
create table own.entries (
  user_id text collate "C" not null, seq bigint not null, kind text not null, points bigint not null, counts boolean not null,
  order_id text collate "C", revision bigint, program_version bigint, at timestamptz not null, adjustment_id text collate "C", reason text,
  explanation json, recorded_at timestamptz not null, day date, booked_day date, change text, by text, usable_on date, expires_on date,
  slides boolean, redemption_id text, level_points bigint,
  primary key (user_id, seq)
);
create unique index on own.entries (user_id, adjustment_id) where adjustment_id is not null;
create index on own.entries (coalesce(explanation ->> 'nothing', 'unknown'), at, order_id) where kind = 'order' and revision = 1 and points = 0`
