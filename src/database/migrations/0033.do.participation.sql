-- Null: never sent, the player participates. So a record without the field keeps what is stored in the statement that writes it.
alter table players add column participates boolean;
