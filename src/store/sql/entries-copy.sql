-- in:   as COPY's text: the columns of entries (entries.ts), and the moment of the request
-- out:  nothing
-- why:  the ledger is append-only; of many entries at once COPY adds them faster
copy entries (:columns, recorded_at) from stdin
