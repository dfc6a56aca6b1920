-- in:   r, a row of redemptions
-- out:  the redemption as a JSON list (redemptions.ts)
-- why:  one format for a single redemption and for lists
json_build_array(
    r.redemption_id, r.state, r.points::text, r.reward, r.order_id, r.program_version, r.held_on::text,
    to_char(r.held_until at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), r.rev::text, r.by, r.reason,
    to_char(r.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), r.voided_parts
  )
