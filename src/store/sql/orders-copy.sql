-- in:   as COPY text: the columns of orders (orders.ts), and the moment of the request twice
-- out:  nothing
-- why:  the fastest way to insert orders whose ids have just been claimed
copy orders (:columns, recorded_at, updated_at) from stdin
