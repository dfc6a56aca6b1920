-- name: account-totals-work
-- in:   $1 a moment
-- out:  one row, none before accounts are first counted: whether accounts were changed and not counted since, whether any is due, and how far all accounts have been scanned
-- why:  a service that nobody uses writes nothing
select exists (select 1 from account_changes) as is_changed, exists (select 1 from account_figures where due_at <= $1::timestamptz) as is_due,
  basis, scan_basis, scanned_to, scanned_on::text as scanned_on
from account_totals

-- name: account-totals-begin
-- in:   nothing
-- out:  nothing; afterwards there are totals
-- why:  the first service on a database makes them
insert into account_totals default values on conflict do nothing

-- name: account-totals-lock
-- in:   nothing
-- out:  the totals, whether there are no figures yet, and the present moment of the database; no row if another process is working on them. Moments as RFC 3339, to the microsecond
-- why:  one process at a time works on a page. On a cluster, the row is unlocked before the other servers have committed, and the advisory lock after it; its number is used for nothing else. Earlier releases lock only the row
with mine as materialized (
  select pg_try_advisory_xact_lock(7281404) as is_mine
)
select basis, scan_basis, scanned_to, scanned_on::text as scanned_on, as_of is null as is_first,
  to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now
from account_totals
where (select is_mine from mine)
for update skip locked

-- name: account-changes-take
-- in:   $1 a moment of the database, $2 how many accounts at most, $3 among how many changes
-- out:  one row: the accounts changed up to the moment, whose changes among those looked at are no longer noted, and whether no change up to the moment is left
-- why:  in no order, so that no index is needed; changes later than the moment wait for the next pass, so that each pass ends; an account that changed often is counted once
with few as materialized (
  select c.ctid as place, c.user_id from account_changes c where c.changed_at <= $1::timestamptz limit $3::bigint
),
chosen as materialized (
  select distinct user_id from few limit $2::bigint
),
gone as (
  delete from account_changes
  where ctid = any (array (select few.place from few join chosen using (user_id)))
  returning user_id
)
select coalesce(array_agg(distinct user_id), '{}') as user_ids,
  count(*) = (select count(*) from few) and count(*) < $3::bigint as is_all
from gone

-- on a cluster: account-changes-take
-- why:  rows of different servers may have the same ctid: all changes of an account up to the moment go
with few as materialized (
  select user_id from account_changes where changed_at <= $1::timestamptz limit $3::bigint
),
chosen as materialized (
  select distinct user_id from few limit $2::bigint
),
gone as (
  delete from account_changes where changed_at <= $1::timestamptz and user_id in (select user_id from chosen) returning user_id
)
select coalesce(array_agg(distinct user_id), '{}') as user_ids,
  count(distinct user_id) = (select count(distinct user_id) from few) and (select count(*) from few) < $3::bigint as is_all
from gone

-- name: account-figures-due
-- in:   $1 a moment, $2 how many at most
-- out:  the accounts whose figures have changed by themselves since they were counted
-- why:  by the index on due_at
select user_id from account_figures where due_at <= $1::timestamptz order by due_at limit $2::bigint

-- name: account-figures-write
-- in:   the columns of account_figures (account-figures.ts), each user id at most once
-- out:  nothing
-- why:  the totals change by what the accounts change, in the same statement
with given as materialized (
  select * from unnest(:lists) as incoming (:columns)
),
before as materialized (
  select * from account_figures where user_id = any ($1::text[])
),
written as (
  insert into account_figures as f (:columns)
  select :columns from given order by user_id
  on conflict (user_id) do update set :updates
    where (f.outstanding, f.pending, f.held, f.expired, f.ordered_on, f.due_at) is distinct from
      (excluded.outstanding, excluded.pending, excluded.held, excluded.expired, excluded.ordered_on, excluded.due_at)
),
changes as materialized (
  select 1 as n, outstanding, pending, held, expired, ordered_on from given
  union all
  select -1, -outstanding, -pending, -held, -expired, ordered_on from before
),
active as (
  insert into account_activity as a (ordered_on, players)
  select ordered_on, sum(n) from changes where ordered_on is not null group by ordered_on having sum(n) <> 0 order by ordered_on
  on conflict (ordered_on) do update set players = a.players + excluded.players
)
update account_totals t
set players = t.players + c.n, outstanding = t.outstanding + c.outstanding, pending = t.pending + c.pending,
  held = t.held + c.held, expired = t.expired + c.expired
from (
  select sum(n) as n, sum(outstanding) as outstanding, sum(pending) as pending, sum(held) as held, sum(expired) as expired from changes
) as c
where c.n is not null

-- name: account-totals-scan
-- in:   $1 the basis, $2 the last account scanned, null once all are, $3 the day
-- out:  nothing
-- why:  a scan goes on where it was, whatever is stopped or killed
update account_totals
set scan_basis = $1::text, scanned_to = $2::text, scanned_on = $3::date,
  basis = case when $2::text is null then $1::text else basis end

-- name: account-totals-caught-up
-- in:   $1 a moment
-- out:  nothing
-- why:  every account is counted as it was at that moment or later
update account_totals set as_of = greatest(as_of, $1::timestamptz)

-- name: account-totals-find
-- in:   $1 a moment, null for that of the last pass; $2 how many changes are looked at
-- out:  the totals as text, and as JSON how many players made their latest order on each of the last days; how many changes are not counted yet, at most $2, and since when; since when accounts are due; moments as RFC 3339. No row before all accounts were counted
-- why:  reads one row, one for each of some 90 days, and few changes, in one snapshot
select basis, to_char(as_of at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as as_of, waiting.changes,
  to_char(waiting.since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_since,
  to_char(due.since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as due_since,
  outstanding::text as outstanding, pending::text as pending, held::text as held, expired::text as expired,
  (
    select coalesce(json_agg(json_build_array(a.ordered_on::text, a.players)), '[]')
    from account_activity a
    where a.ordered_on >= (as_of at time zone 'utc')::date - 91
  ) as activity
from account_totals
cross join (
  select count(*)::int as changes, min(changed_at) as since from (select changed_at from account_changes limit $2::bigint) as few
) as waiting
cross join lateral (select min(due_at) as since from account_figures where due_at <= coalesce($1::timestamptz, as_of)) as due
where as_of is not null

-- on a cluster: account-totals-find
-- why:  tables of the coordinator are read before they are joined
with totals as materialized (
  select * from account_totals where as_of is not null
),
waiting as materialized (
  select count(*)::int as changes, min(changed_at) as since from (select changed_at from account_changes limit $2::bigint) as few
),
due as materialized (
  select min(due_at) as since from account_figures where due_at <= coalesce($1::timestamptz, (select as_of from totals))
),
recent as materialized (
  select coalesce(json_agg(json_build_array(a.ordered_on::text, a.players)), '[]') as activity
  from account_activity a
  where a.ordered_on >= (select (as_of at time zone 'utc')::date - 91 from totals)
)
select basis, to_char(as_of at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as as_of, waiting.changes,
  to_char(waiting.since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_since,
  to_char(due.since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as due_since,
  outstanding::text as outstanding, pending::text as pending, held::text as held, expired::text as expired, recent.activity
from totals
cross join waiting
cross join due
cross join recent
