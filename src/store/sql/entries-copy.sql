-- in:   as COPY's text: the columns below, the moment of the request at the end
-- out:  nothing
-- why:  the ledger is only added to; of many entries at once COPY adds them faster
copy entries (
  user_id, seq, kind, points, counts, at, order_id, revision, program_version, adjustment_id, reason, explanation, recorded_at
) from stdin
