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
  primary key (user_id, redemption_id)
);
create index redemptions_held on redemptions (user_id) where state = 'held';
