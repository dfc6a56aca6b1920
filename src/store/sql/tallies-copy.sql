-- in:   as COPY's text: the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  orders of many days make many lines
copy tallies (:columns) from stdin
