-- Who is signed in to the console, and with which token: it may do what that token may.
create table sessions (
  session_id   text collate "C" primary key,
  digest       bytea not null, -- SHA-256 of the cookie; the cookie itself is never kept
  token_id     text collate "C" not null,
  browser      text not null,
  created_at   timestamptz not null,
  last_used_at timestamptz not null, -- to the minute
  expires_at   timestamptz not null
);
-- One-time links to the console.
create table sign_in_codes (
  digest     bytea primary key, -- SHA-256 of the code
  token_id   text collate "C" not null,
  expires_at timestamptz not null,
  used_by    text -- the session that it has opened
);
-- What people did, and who: no statement of ours changes or deletes one, and none has values of personal data.
create table acts (
  at       timestamptz not null,
  act_id   text collate "C" not null,
  by       text not null, -- the id of a token
  act      text not null,
  subject  text not null, -- on what: an id, masked where it is an address or a number
  detail   json not null,
  primary key (at, act_id)
);
