-- in:   o, a row of orders
-- out:  the order as a JSON object: moments as RFC 3339, points and numbers as text, state and facts as stored
-- why:  one format for everything that reads complete recorded orders
jsonb_build_object(
  'at', to_char(o.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'state', o.state, 'facts', o.facts, 'program', o.program_version, 'points', o.points::text,
  'referrer_id', o.referrer_id, 'referrer_points', o.referrer_points::text, 'rev', o.rev::text, 'state_version', o.state_version,
  'recorded_at', to_char(o.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'first', o.first_digests
)
