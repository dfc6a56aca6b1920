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
