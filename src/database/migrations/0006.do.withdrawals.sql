-- A version that never holds: withdrawn before its moment came. Nothing else of a version ever changes.
alter table programs add column withdrawn_at timestamptz, add column withdrawn_by text;
