-- name: export-players
-- in:   nothing
-- out:  every player, by id, under the names of the API
-- why:  what is exported can be imported
select user_id as "User_id", name as "Name", email as "Email", phone as "Phone", address as "Add",
  to_char(date_of_birth, 'DD-MM-YYYY') as "DOB", gender as "Gender", refer_code as "Refercode", state as "State", district as "District",
  referred_by as "RefBy", pincode as "Pincode", country as "Country", state_version as "State_version", case when participates is false then false end as participates,
  case when row_hash = '\x00' then true end as erased,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at, attributes
from players
order by user_id

-- name: export-products
-- in:   nothing
-- out:  every product, by id, under the names of the API
-- why:  what is exported can be imported
select sku as product_sku_id, trim_scale(price)::text as amount, state_version,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
  (select attributes::json from product_attributes where digest = attributes_digest) as attributes
from products
order by sku

-- name: export-attributes
-- in:   nothing
-- out:  every set of attributes that a product has or had, by digest
-- why:  orders name what they saw by its digest
select digest, attributes::json as attributes
from product_attributes
order by digest

-- name: export-orders
-- in:   nothing
-- out:  every order in its last state, by player and id; state as stored
-- why:  the order of the key needs no sorting, and does not depend on when it was recorded
select o.order_id, o.user_id, to_char(ordered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ordered_at, state, state_version,
  o.order_id = a.first_order_id as is_first, o.rev as revision, o.points, referrer_id, referrer_points, program_version as program,
  facts, first_digests,
  to_char(recorded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
from orders o
left join accounts a on a.user_id = o.user_id
order by o.user_id, o.order_id

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
  to_char(withdrawn_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as withdrawn_at, withdrawn_by, rounds_first_days, source
from programs
order by version

-- name: export-settings
-- in:   nothing
-- out:  every shop setting that was set, by key
-- why:  players can be imported where the same fields are required
select key, value, to_char(changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, changed_by
from settings
order by key

-- name: export-erasures
-- in:   nothing
-- out:  digests of ids that were erased, in hex, and the ids that replace them
-- why:  an id that was replaced is recognised after an import too; the key of the digests is outside the database
select encode(digest, 'hex') as digest, to_char(erased_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as erased_at, erased_by, moved_to
from erasures
order by erasures.digest

-- name: import-settings
-- in:   $1 records of an export, as a JSON list
-- out:  nothing
-- why:  fills an empty database; the other statements of this name do the same
insert into settings (key, value, changed_at, changed_by)
select key, value, changed_at, changed_by
from json_to_recordset($1::json) as sent (key text, value json, changed_at timestamptz, changed_by text)

-- name: import-programs
-- in:   $1 records of an export, as a JSON list
-- out:  nothing
-- why:  see import-settings
insert into programs (version, name, publisher, note, holds_from, source, published_at, withdrawn_at, withdrawn_by, rounds_first_days)
select version, name, publisher, note, effective_from, source, published_at, withdrawn_at, withdrawn_by, rounds_first_days
from json_to_recordset($1::json) as sent (
  version bigint, name text, publisher text, note text, effective_from timestamptz, source text, published_at timestamptz,
  withdrawn_at timestamptz, withdrawn_by text, rounds_first_days boolean
)

-- name: import-players
-- in:   $1 records of an export, as a JSON list
-- out:  nothing
-- why:  see import-settings; without a hash, a player is written once more when it is next sent
insert into players (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, rev, created_at, updated_at, state_version, participates, attributes
)
select "User_id", "Name", "Email", "Phone", "Add", to_date("DOB", 'DD-MM-YYYY'), "Gender", "Refercode", "State", "District", "RefBy", "Pincode",
  "Country", case when erased then '\x00' else '' end::bytea, 1, created_at, updated_at, "State_version", participates, attributes
from json_to_recordset($1::json) as sent (
  "User_id" text, "Name" text, "Email" text, "Phone" text, "Add" text, "DOB" text, "Gender" text, "Refercode" text, "State" text,
  "District" text, "RefBy" text, "Pincode" text, "Country" text, "State_version" bigint, participates boolean, erased boolean,
  created_at timestamptz, updated_at timestamptz, attributes json
)

-- name: import-erasures
-- in:   $1 records of an export, as a JSON list
-- out:  nothing
-- why:  see import-settings; a service starts on them only with the key that they were made with
insert into erasures (digest, erased_at, erased_by, moved_to)
select decode(digest, 'hex'), erased_at, erased_by, moved_to
from json_to_recordset($1::json) as sent (digest text, erased_at timestamptz, erased_by text, moved_to text)

-- name: import-attributes
-- in:   $1 records of an export, as a JSON list
-- out:  nothing
-- why:  see import-settings
insert into product_attributes (digest, attributes)
select digest, attributes::text
from json_to_recordset($1::json) as sent (digest text, attributes json)

-- name: import-products
-- in:   $1 records of an export, as a JSON list
-- out:  nothing
-- why:  see import-settings
insert into products (sku, price, rev, created_at, updated_at, state_version, attributes_digest)
select product_sku_id, amount, 1, created_at, updated_at, state_version, encode(sha256(convert_to(attributes::text, 'UTF8')), 'hex')
from json_to_recordset($1::json) as sent (
  product_sku_id text, amount numeric, state_version bigint, created_at timestamptz, updated_at timestamptz, attributes json
)

-- name: import-orders
-- in:   $1 records of an export, as a JSON list, with `state` as it is stored
-- out:  nothing
-- why:  see import-settings; the account is completed by import-accounts
with sent as materialized (
  select *
  from json_to_recordset($1::json) as sent (
    order_id text, user_id text, ordered_at timestamptz, state json, state_version bigint, is_first boolean, revision bigint, points bigint,
    referrer_id text, referrer_points bigint, program bigint, facts json, first_digests json, recorded_at timestamptz, updated_at timestamptz
  )
),
owners as (
  insert into order_owners (order_id, user_id) select order_id, user_id from sent
),
first_orders as (
  insert into accounts (user_id, points, counted, orders, entries, first_order_id, rev)
  select user_id, 0, 0, 0, 0, order_id, 1 from sent where is_first
)
insert into orders (
  user_id, order_id, ordered_at, state, program_version, facts, points, referrer_id, referrer_points, rev, recorded_at, updated_at,
  first_digests, state_version
)
select user_id, order_id, ordered_at, state, program, facts, points, referrer_id, referrer_points, revision, recorded_at, updated_at,
  first_digests, state_version
from sent

-- name: import-entries
-- in:   $1 records of an export, as a JSON list; days that never come are infinity
-- out:  nothing
-- why:  see import-settings
insert into entries (
  user_id, seq, kind, points, counts, order_id, revision, program_version, at, adjustment_id, reason, explanation, recorded_at, day,
  booked_day, change, by, usable_on, expires_on, slides, redemption_id
)
select user_id, seq, kind, points, counts, order_id, revision, program, at, id, reason, explanation, recorded_at, day,
  booked_day, change, by, usable_on, expires_on, slides, redemption_id
from json_to_recordset($1::json) as sent (
  user_id text, seq bigint, kind text, points bigint, counts boolean, order_id text, revision bigint, program bigint, change text,
  at timestamptz, recorded_at timestamptz, id text, redemption_id text, reason text, day date, booked_day date, usable_on date,
  expires_on date, slides boolean, by text, explanation json
)

-- name: import-redemptions
-- in:   $1 records of an export, as a JSON list
-- out:  nothing
-- why:  see import-settings
insert into redemptions (
  user_id, redemption_id, state, points, reward, order_id, program_version, held_on, held_until, rev, by, reason, created_at, updated_at,
  voided_parts
)
select user_id, id, state, points, reward, order_id, program, held_on, held_until, 1, by, reason, created_at, updated_at, voided_parts
from json_to_recordset($1::json) as sent (
  user_id text, id text, state text, points bigint, reward text, order_id text, reason text, program bigint, held_on date,
  held_until timestamptz, voided_parts json, created_at timestamptz, updated_at timestamptz, by text
)

-- name: import-accounts
-- in:   nothing
-- out:  nothing
-- why:  accounts are sums over entries and orders, and nothing else; every order has entries
insert into accounts as a (user_id, points, counted, orders, entries, rev)
select sums.user_id, sums.points, sums.counted, coalesce(placed.orders, 0), sums.entries, 1
from (
  select user_id, sum(points) as points, coalesce(sum(points) filter (where counts), 0) as counted, count(*) as entries
  from entries
  group by user_id
) as sums
left join (select user_id, count(*) as orders from orders group by user_id) as placed on placed.user_id = sums.user_id
on conflict (user_id) do update
set points = excluded.points, counted = excluded.counted, orders = excluded.orders, entries = excluded.entries
