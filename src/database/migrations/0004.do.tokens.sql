create table tokens (
  token_id   text collate "C" primary key,
  name       text not null,
  digest     bytea not null, -- SHA-256 of the token's text; the token itself is never kept
  scopes     jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
