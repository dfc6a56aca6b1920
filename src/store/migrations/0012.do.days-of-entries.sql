-- Entries from before have none of these (docs/decisions/0080-days-of-an-entry.md, 0081-what-happened-to-an-order.md).
alter table entries
  add column day           date,    -- of its moment, in the time zone of the version that it is computed under
  add column booked_day    date,    -- of the recording, in the time zone of the version that held then
  add column change        text,    -- what its revision did to the order: placed, changed, moved, cancelled, returned
  add column by            text,    -- of an adjustment: the id of the token
  add column usable_on     date,
  add column expires_on    date,
  add column slides        boolean,
  add column redemption_id text,
  add column level_points  bigint;
