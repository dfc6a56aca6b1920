-- People who were erased (docs/privacy.md). Nobody learns an id from here without the key, which the database does not have.
create table erasures (
  digest    bytea primary key, -- HMAC-SHA-256 of the id; in one row that of the empty text, which tells whether a key is the one
  erased_at timestamptz not null,
  erased_by text not null, -- the id of a token
  moved_to  text collate "C" -- the id that stands for one that was an e-mail address or a phone number
);
