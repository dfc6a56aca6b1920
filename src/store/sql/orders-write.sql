-- in:   $1 user ids, $2 order ids, $3 moments, $4 states, $5 programs, $6 facts, $7 points, $8 referrers, $9 theirs, $10 revs, $11 first digests, $12 now
-- out:  nothing
-- why:  the state of an order is its last revision; what it gave before stands in the entries
insert into orders (
  user_id, order_id, ordered_at, state, program_version, facts, points, referrer_id, referrer_points, rev,
  first_digests, recorded_at, updated_at
)
select user_id, order_id, ordered_at, state::json, program_version, facts::json, points, referrer_id, referrer_points, rev,
  first_digests::json, $12::timestamptz, $12::timestamptz
from unnest(
  $1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::text[], $9::bigint[],
  $10::bigint[], $11::text[]
) as incoming (
  user_id, order_id, ordered_at, state, program_version, facts, points, referrer_id, referrer_points, rev, first_digests
)
on conflict (user_id, order_id) do update set
  ordered_at = excluded.ordered_at, state = excluded.state, facts = excluded.facts, points = excluded.points,
  referrer_id = excluded.referrer_id, referrer_points = excluded.referrer_points, rev = excluded.rev,
  first_digests = excluded.first_digests, updated_at = excluded.updated_at
