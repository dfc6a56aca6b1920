-- in:   o, a row of orders
-- out:  the order as one tab-separated text, with state and facts as a JSON list at the end
-- why:  a single text column is the cheapest row to read, and a backtest reads all orders
concat_ws(
  E'\t', o.user_id, o.order_id, o.ordered_at, o.program_version, o.points, coalesce(o.referrer_id, ''), o.referrer_points, o.rev,
  concat('[', o.state, ',', o.facts, ']')
)
