-- in:   nothing
-- out:  one row: about how many accounts there are
-- why:  how many of them are looked at closely; counting would go through all
select greatest(
  coalesce((select players from account_sweeps order by at desc limit 1), 0),
  (select reltuples from pg_class where oid = 'accounts'::regclass)::bigint
) as players
