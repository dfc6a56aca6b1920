-- in:   $1 the previous page's last user id, $2 how many players, $3 a day, $4 a moment
-- out:  for each of these players a row per kind and program version: movements, packed, of days up to $3, recorded up to $4; one row with a null kind if there are none
-- why:  everyone's balance, one statement for a page of players; needs no index of its own
with page as (
  select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint
)
select p.user_id, m.kind, m.program, m.movements
from page p
left join lateral (
  select kind, program,
    -- include: packed-movements
    as movements
  from (
    select
      -- include: movement
      , e.kind, e.program_version as program
    from entries e
    where e.user_id = p.user_id and coalesce(e.day, (e.at at time zone 'utc')::date) <= $3::date and e.recorded_at <= $4::timestamptz
    group by 1, 2, 3, 4, 5, e.kind, e.program_version
  ) as by_day
  group by kind, program
) as m on true
order by p.user_id
