-- in:   as COPY text: order ids, sorted, and the players they are recorded for
-- out:  nothing; fails if an id already has an owner
-- why:  an order id belongs to exactly one player; COPY is faster for many at once
copy order_owners (:columns) from stdin
