-- Programs that people write in the console and have not published. Nothing else reads them.
create table drafts (
  draft_id   text collate "C" primary key,
  name       text not null,
  source     text not null,
  cases      text not null, -- test orders, or empty
  based_on   integer, -- the version that it was begun from
  revision   integer not null, -- one more for each change
  created_at timestamptz not null,
  created_by text not null, -- the id of a token
  changed_at timestamptz not null,
  changed_by text not null -- the id of a token
);
