-- in:   $1 a user id, $2 a sequence number, $3 limit
-- out:  entries before that sequence number, newest first; moments as RFC 3339, points and numbers as text
-- why:  a page of a possibly long history; the key gives the order, so no page costs more than the first
select seq::text as seq, kind, points::text as points, counts, order_id, revision::text as revision,
  program_version as program, to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at, change, adjustment_id, redemption_id, reason,
  usable_on::text as usable_on, expires_on::text as expires_on, explanation::text as explanation
from entries
where user_id = $1::text and seq < $2::bigint
order by entries.seq desc -- Qualified, because the output column of the same name is text and sorts differently.
limit $3::bigint
