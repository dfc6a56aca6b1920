-- fragment: is-inactive
-- in:   p, a player, and $1, a moment
-- out:  whether nothing has been recorded about the player since, and nothing recorded is of a later moment; false if the player was erased
-- why:  one meaning for the list and for the erasure
p.row_hash <> '\x00' and p.updated_at < $1::timestamptz
  and not exists (select 1 from entries e where e.user_id = p.user_id and (e.at >= $1::timestamptz or e.recorded_at >= $1::timestamptz))
  and not exists (select 1 from orders o where o.user_id = p.user_id and (o.ordered_at >= $1::timestamptz or o.updated_at >= $1::timestamptz))
  and not exists (select 1 from redemptions r where r.user_id = p.user_id and r.updated_at >= $1::timestamptz)

-- name: inactive-players-page
-- in:   $1 a moment, $2 the previous page's last id, $3 limit
-- out:  one row: players, those on the page without activity since $1, with the texts that identify them; last, the page's last id, null for an empty page
-- why:  a page at a time, so that predictions can run in between
with page as materialized (
  select * from players where user_id > $2::text order by user_id limit $3::bigint
)
select coalesce(jsonb_agg(
    jsonb_build_object(
      'user_id', user_id, 'name', name, 'email', email, 'phone', phone, 'address', address, 'refer_code', refer_code, 'is_erased', false
    ) order by user_id
  ) filter (where
    -- include: is-inactive
  ), '[]') as players,
  max(user_id) as last
from page p

-- on a cluster: inactive-players-page
-- why:  there, players are joined to their rows by a range of keys. One server might read all entries for that
with bound as materialized (
  select max(user_id) as last from (select user_id from players where user_id > $2::text order by user_id limit $3::bigint) as page
),
inactive as materialized (
  select * from players p
  where p.user_id > $2::text and p.user_id <= (select last from bound) and
    -- include: is-inactive
)
select coalesce(jsonb_agg(
    jsonb_build_object(
      'user_id', user_id, 'name', name, 'email', email, 'phone', phone, 'address', address, 'refer_code', refer_code, 'is_erased', false
    ) order by user_id
  ), '[]') as players,
  (select last from bound) as last
from inactive

-- name: inactive-players-lock
-- in:   $1 a user id
-- out:  nothing; the account exists, and nobody else writes to it until the transaction ends
-- why:  an order that is recorded meanwhile comes before the next statement looks, or finds the player erased
insert into accounts as a (user_id, points, counted, orders, entries, rev)
values ($1::text, 0, 0, 0, 0, 1)
on conflict (user_id) do update set rev = a.rev where false

-- name: inactive-players-find
-- in:   $1 a moment, $2 a user id
-- out:  a row if the player is inactive
-- why:  an order may have come since the list
select 1 as one
from players p
where p.user_id = $2::text and
    -- include: is-inactive
