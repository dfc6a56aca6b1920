-- in:   $1 to $12 the values of the columns below, $13 the moment of the request
-- out:  nothing
-- why:  the ledger is only added to
insert into entries (
  user_id, seq, kind, points, counts, at, order_id, revision, program_version, adjustment_id, reason, explanation, recorded_at
)
select user_id, seq, kind, points, counts, at, order_id, revision, program_version, adjustment_id, reason, explanation::json,
  $13::timestamptz
from unnest(
  $1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::boolean[], $6::timestamptz[], $7::text[], $8::bigint[], $9::bigint[],
  $10::text[], $11::text[], $12::text[]
) as incoming (
  user_id, seq, kind, points, counts, at, order_id, revision, program_version, adjustment_id, reason, explanation
)
