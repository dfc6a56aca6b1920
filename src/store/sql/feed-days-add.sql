-- in:   the columns of feed_days (activity.ts), each key once
-- out:  nothing
-- why:  several processes add; sorted, so that they never deadlock
insert into feed_days as s (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
order by day, noun, token_id, measure, field, kind
on conflict (day, noun, token_id, measure, field, kind) do update set n = s.n + excluded.n
