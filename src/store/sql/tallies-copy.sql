-- in:   as COPY text: the columns of tallies (statistics.ts)
-- out:  nothing
-- why:  orders from many days produce many tallies
copy tallies (:columns) from stdin
