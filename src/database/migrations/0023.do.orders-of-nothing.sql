-- First recordings of 0 points by their reason, newest first: a hundredth of all entries or so (docs/decisions/0122-lists-and-look-ups.md).
create index entries_of_nothing on entries ((coalesce(explanation ->> 'nothing', 'unknown')), at, order_id)
  where kind = 'order' and revision = 1 and points = 0;
