-- in:   the columns of service_times (activity.ts) except span, each minute and route once
-- out:  nothing
-- why:  hours are kept longer than minutes, so they are summed alongside
insert into service_times as s (span, starts, route, :counts)
select span, case span when 'hour' then date_trunc('hour', starts at time zone 'utc') at time zone 'utc' else starts end, route, :sums
from unnest(:lists) as incoming (:columns)
cross join (values ('hour'), ('minute')) as spans (span)
group by 1, 2, 3
order by 1, 2, 3
on conflict (span, starts, route) do update set :added
