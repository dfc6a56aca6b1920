-- name: export-players
-- in:   nothing
-- out:  every player, by id, under the names of the API
-- why:  what is exported can be imported
select user_id as "User_id", name as "Name", email as "Email", phone as "Phone", address as "Add",
  to_char(date_of_birth, 'DD-MM-YYYY') as "DOB", gender as "Gender", refer_code as "Refercode", state as "State", district as "District",
  referred_by as "RefBy", pincode as "Pincode", country as "Country", state_version as "State_version",
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
from players
order by user_id

-- name: export-products
-- in:   nothing
-- out:  every product, by id, under the names of the API
-- why:  what is exported can be imported
select sku as product_sku_id, trim_scale(price)::text as amount, state_version,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
from products
order by sku

-- name: export-orders
-- in:   nothing
-- out:  every order in its last state, by player and id; state as stored
-- why:  the order of the key needs no sorting, and does not depend on when it was recorded
select order_id, user_id, to_char(ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at, state, state_version,
  points, referrer_id, referrer_points, program_version as program,
  to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
from orders
order by user_id, orders.order_id

-- name: export-entries
-- in:   nothing
-- out:  every entry, by player and number; days that never come are infinity
-- why:  with their days, the entries say what the balance was on every day
select user_id, seq, kind, points, counts, order_id, revision, program_version as program, change,
  to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  adjustment_id as id, redemption_id, reason, day::text as day, booked_day::text as booked_day,
  usable_on::text as usable_on, expires_on::text as expires_on, slides, by, explanation
from entries
order by entries.user_id, entries.seq

-- name: export-adjustments
-- in:   nothing
-- out:  every adjustment, by player and number; days that never come are infinity
-- why:  the few entries that people made
select user_id, adjustment_id as id, points, counts, reason, usable_on::text as usable_on, expires_on::text as expires_on, change,
  to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at, by
from entries
where kind = 'adjustment'
order by entries.user_id, entries.seq

-- name: export-redemptions
-- in:   nothing
-- out:  every redemption in its last state, by player and id
-- why:  holds are no entries
select user_id, redemption_id as id, state, points, reward, order_id, reason, program_version as program, held_on::text as held_on,
  to_char(held_until at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as held_until, voided_parts,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at, by
from redemptions
order by redemptions.user_id, redemption_id

-- name: export-programs
-- in:   nothing
-- out:  every version with its file, oldest first
-- why:  with the orders, they say why an order earned what it did
select version, name, publisher, note,
  case when isfinite(holds_from) then to_char(holds_from at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') else holds_from::text end as effective_from,
  to_char(published_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as published_at,
  to_char(withdrawn_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as withdrawn_at, withdrawn_by, source
from programs
order by version

-- name: export-settings
-- in:   nothing
-- out:  every shop setting that was set, by key
-- why:  players can be imported where the same fields are required
select key, value, to_char(changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, changed_by
from settings
order by key
