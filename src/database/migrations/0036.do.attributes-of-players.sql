-- JSON: an object with its names in order. Null: never sent; empty: none any more. So a record without the field keeps what is stored in the statement that writes it.
alter table players add column attributes json;
