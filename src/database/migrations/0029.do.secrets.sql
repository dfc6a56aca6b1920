-- What this database alone knows, from which keys are derived (docs/decisions/0218-handles-of-players.md). A start stores what is missing.
create table secrets (
  name   text collate "C" primary key,
  secret bytea not null
);
