-- JSON: an object with its names in order. Null: none.
alter table players add column attributes json;
