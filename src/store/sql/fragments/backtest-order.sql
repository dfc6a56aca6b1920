-- in:   o, a row of orders
-- out:  the order as one text, values between tabs, state and facts as a list in JSON at the end
-- why:  one text is the cheapest row to read, and a backtest reads all orders
concat_ws(
  E'\t', o.user_id, o.order_id, o.ordered_at, o.program_version, o.points, coalesce(o.referrer_id, ''), o.referrer_points, o.rev,
  concat('[', o.state, ',', o.facts, ']')
)
