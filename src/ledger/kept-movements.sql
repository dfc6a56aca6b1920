-- fragment: lacks-movements
-- in:   a row of accounts
-- out:  whether it keeps no movements, or those of an earlier revision, and could keep some
-- why:  one meaning for finding such accounts and for writing them
entries <= 500 and (movements is null or movements_rev is distinct from rev)

-- name: accounts-without-movements
-- in:   $1 user ids
-- out:  those of them whose account keeps no movements of its revision, by id
-- why:  most accounts keep theirs, and need no transaction
select user_id
from accounts
where user_id = any ($1::text[]) and
  -- include: lacks-movements
order by user_id

-- name: accounts-keep-movements
-- in:   $1 user ids
-- out:  nothing; accounts that keep no movements, or those of an earlier revision, keep those of their entries, unless these leave little room for more
-- why:  accounts from before, or written by an earlier release. Revisions and entries are of one snapshot: an account that was changed since is not written. Rows that are locked are being changed. Beyond 500 entries they would be read for nothing, time and again
with asked as materialized (
  select user_id, rev
  from accounts
  where user_id = any ($1::text[]) and
    -- include: lacks-movements
),
derived as materialized (
  -- include: derived-movements.fragment.sql
),
free as materialized (
  select user_id
  from accounts
  where user_id in (select a.user_id from asked a left join derived d on d.user_id = a.user_id where coalesce(length(d.movements), 0) < 1200)
  order by user_id
  for update skip locked
)
update accounts a
set movements = coalesce(d.movements, ''), movements_rev = u.rev
from asked u
join free using (user_id)
left join derived d using (user_id)
where a.user_id = u.user_id and a.rev = u.rev

-- on a cluster: accounts-keep-movements
-- why:  rows of several servers cannot be locked in one order; whoever meets a deadlock runs again
with asked as materialized (
  select user_id, rev
  from accounts
  where user_id = any ($1::text[]) and
    -- include: lacks-movements
),
derived as materialized (
  -- include: derived-movements.fragment.sql
)
update accounts a
set movements = coalesce(d.movements, ''), movements_rev = u.rev
from asked u
left join derived d using (user_id)
where a.user_id = u.user_id and a.rev = u.rev and coalesce(length(d.movements), 0) < 1200

-- name: kept-movements-check
-- in:   $1 the previous page's last user id, $2 how many accounts
-- out:  a row for each: what it keeps of its revision (null: nothing), and what its entries give (null: nothing)
-- why:  compared as sums, which are kept in no order
with page as materialized (
  select user_id, case when movements_rev = rev then movements end as kept
  from accounts
  where user_id > $1::text
  order by user_id
  limit $2::bigint
),
asked as materialized (
  select user_id from page where kept is not null
),
derived as materialized (
  -- include: derived-movements.fragment.sql
)
select p.user_id, p.kept, d.movements as derived
from page p
left join derived d on d.user_id = p.user_id
order by p.user_id
