-- in:   nothing
-- out:  the points of the latest sweep that examined all accounts, its moment as RFC 3339; no row if anything was recorded since or shortly before
-- why:  a sweep is not one snapshot: only if nothing changed can its points be derived again. Requests end within 5 minutes
with last as (
  select * from account_sweeps where day is not null order by at desc limit 1
)
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, day::text as day,
  outstanding::text as outstanding, pending::text as pending, held::text as held, expired::text as expired
from last
cross join lateral (select last.at - interval '5 minutes' as settled) as since
where not exists (select from entries where recorded_at > settled)
  and not exists (select from redemptions where updated_at > settled)
  and not exists (select from programs where greatest(published_at, withdrawn_at) > settled)
