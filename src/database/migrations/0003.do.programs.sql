create table programs (
  version      bigint primary key,
  name         text not null,
  publisher    text not null,
  note         text not null,
  holds_from   timestamptz not null, -- -infinity: since the beginning of time
  source       text not null, -- the file as it was published, comments included
  published_at timestamptz not null
);
