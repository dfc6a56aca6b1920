-- in:   as COPY's text: the columns below, twice the moment of the request among them
-- out:  nothing
-- why:  the fastest way in, for orders whose ids have just been claimed
copy orders (
  user_id, order_id, ordered_at, state, program_version, facts, points, referrer_id, referrer_points, rev, recorded_at, updated_at,
  first_digests
) from stdin
