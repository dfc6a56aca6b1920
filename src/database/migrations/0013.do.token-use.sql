-- When a token was used last, to the hour: who looks after tokens sees which nobody needs any more.
alter table tokens add column last_used_at timestamptz;
