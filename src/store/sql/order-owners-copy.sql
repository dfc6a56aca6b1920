-- in:   as COPY's text: order ids, sorted, and the players they are recorded for
-- out:  nothing; an id that has an owner fails it
-- why:  an order id has one owner over all players; of many at once COPY claims them faster
copy order_owners (:columns) from stdin
