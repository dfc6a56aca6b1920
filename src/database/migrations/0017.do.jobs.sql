-- Long work that the service does beside its requests, on a snapshot (docs/decisions/0125-jobs.md).
create table jobs (
  job_id       text collate "C" primary key,
  kind         text not null,
  state        text not null, -- waiting, running, done, failed, cancelled, interrupted
  request      text not null, -- JSON, as it was asked
  asked_by     text not null, -- the id of the token
  asked_at     timestamptz not null,
  began_at     timestamptz,
  ended_at     timestamptz,
  snapshot_at  timestamptz,   -- what it reads is as it was then
  pause_ms     bigint,        -- how long taking the snapshot held up everybody else
  progress     text not null default '[]', -- JSON
  runner       text,          -- the process that runs it
  seen_at      timestamptz,   -- when that process last said so
  is_cancelled boolean not null default false,
  error        text,
  result       text           -- JSON
);
