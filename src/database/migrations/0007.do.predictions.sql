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
  primary key (user_id, order_id, predicted_at, prediction_id)
);
create index predictions_by_age on predictions (predicted_at);
