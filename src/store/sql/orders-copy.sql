-- in:   as COPY's text: the columns of orders (orders.ts), and twice the moment of the request
-- out:  nothing
-- why:  the fastest way in, for orders whose ids have just been claimed
copy orders (:columns, recorded_at, updated_at) from stdin
