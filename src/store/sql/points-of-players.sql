-- in:   $1 the last user id of the page before, $2 how many players, $3 a day, $4 a moment
-- out:  for each of these players the kind, program version, day and terms of the entries of days up to that one, recorded up to the moment, with what was given and spent
-- why:  balances of everybody, a page of players in one statement; nothing is indexed for it
with page as (
  select user_id from accounts where user_id > $1::text order by user_id limit $2::bigint
)
select p.user_id, m.*
from page p
left join lateral (
  select
    -- include: movement
    , e.kind, e.program_version as program
  from entries e
  where e.user_id = p.user_id and coalesce(e.day, (e.at at time zone 'utc')::date) <= $3::date and e.recorded_at <= $4::timestamptz
  group by
    -- include: movement-terms
    , e.kind, e.program_version
) as m on true
order by p.user_id
