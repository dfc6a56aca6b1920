-- in:   as COPY text: the columns of entries (entries.ts), and the moment of the request
-- out:  nothing
-- why:  the ledger is append-only; COPY is faster for many entries at once
copy entries (:columns, recorded_at) from stdin
