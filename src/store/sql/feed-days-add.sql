-- in:   the columns of feed_days (activity.ts), each line once
-- out:  nothing
-- why:  several processes add; sorted, so that two never wait for each other in a circle
insert into feed_days as s (:columns)
select :columns
from unnest(:lists) as incoming (:columns)
order by day, noun, token_id, measure, field, kind
on conflict (day, noun, token_id, measure, field, kind) do update set n = s.n + excluded.n
