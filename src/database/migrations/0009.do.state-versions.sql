-- The sender's number of the state that is stored: a lower one comes too late. Null where none was ever sent.
alter table orders add column state_version bigint;
alter table players add column state_version bigint;
alter table products add column state_version bigint;
