-- in:   nothing
-- out:  one row: roughly how many accounts there are, and when all of them were last examined, as RFC 3339
-- why:  decides how many are sampled now; an exact count would scan them all
select greatest(
    coalesce((select players from account_sweeps order by at desc limit 1), 0),
    (select reltuples from pg_class where oid = 'accounts'::regclass)::bigint
  ) as players,
  (
    select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    from account_sweeps
    where sampled >= players
    order by account_sweeps.at desc
    limit 1
  ) as all_at
