-- What tells later why an order came to something else than predicted. Null in rows from before.
alter table predictions add column ordered_at timestamptz; -- the order's moment
alter table orders add column first_digests json; -- of a changed order: what it said when it was first recorded
