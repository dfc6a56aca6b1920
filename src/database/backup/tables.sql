-- name: table-columns
-- in:   $1 a table
-- out:  its columns in order, and whether the text of a value may hold a backslash, a tab or a line break
-- why:  a backup names them, so that it can be restored where later migrations have added others
select a.attname as name,
  a.atttypid in ('text'::regtype, 'json'::regtype, 'jsonb'::regtype, 'bytea'::regtype, 'text[]'::regtype) as "isText"
from pg_attribute a
where a.attrelid = to_regclass($1::text) and a.attnum > 0 and not a.attisdropped
order by a.attnum

-- name: table-filters
-- in:   $1 tables
-- out:  their BRIN indexes
-- why:  rows that COPY has added are found through them only once they are summarised
select i.indexrelid::regclass::text as name
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
where m.amname = 'brin' and i.indrelid = any (select to_regclass(t)::oid from unnest($1::text[]) as t)
