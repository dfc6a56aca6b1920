-- in:   o, a row of orders
-- out:  the columns shown for an order: exact numbers as text, moments as RFC 3339, and the number of its lines
-- why:  one format for a single order and for lists; without the facts, which describe the player
o.order_id, o.user_id, o.state ->> 'status' as status,
  to_char(o.ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at,
  o.state ->> 'total' as total, o.state ->> 'discount' as discount, o.state ->> 'qty' as qty,
  json_array_length(o.state -> 'lines') as line_count,
  o.state ->> 'referral_code' as referral_code, (o.state ->> 'subscript_points')::boolean as subscript_points,
  o.points::text as points, o.referrer_id, o.referrer_points::text as referrer_points,
  o.program_version as program, o.rev, o.state_version,
  to_char(o.recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  to_char(o.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
