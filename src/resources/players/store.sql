-- fragment: stored-player
-- in:   a row of players
-- out:  the columns shown for a player; moments as RFC 3339
-- why:  one format for a single player, for lists and for searches
user_id, name, email, phone, address, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, gender, refer_code,
  state, district, referred_by, pincode, country, rev,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
  participates is not false as participates, coalesce(attributes, '{}') as attributes

-- name: players-upsert
-- in:   $1 user ids (each at most once, sorted), $2 to $13 the other values, $14 row hashes in hex, $15 the moment of the request, $16 whether they participate and $17 their attributes as JSON texts (null: unsaid, of $17 also as a whole; {}: none)
-- out:  a row for each player written: key, inserted; missing ones were unchanged
-- why:  one statement, so that counts and writes cannot disagree; sorted, so that requests never lock in opposite order. What is unsaid is kept as it is by then
insert into players as p (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, rev, created_at, updated_at, participates, attributes
)
select user_id, name, email, phone, address, date_of_birth::date, gender, refer_code, state, district, referred_by, pincode, country,
  decode(row_hash, 'hex'), 1, $15::timestamptz, $15::timestamptz, participates, attributes::json
from unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $16::boolean[], $17::text[]
) with ordinality as incoming (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, participates, attributes, place
)
order by place
on conflict (user_id) do update set
  name = excluded.name, email = excluded.email, phone = excluded.phone, address = excluded.address,
  date_of_birth = excluded.date_of_birth, gender = excluded.gender, refer_code = excluded.refer_code,
  state = excluded.state, district = excluded.district, referred_by = excluded.referred_by,
  pincode = excluded.pincode, country = excluded.country,
  row_hash = excluded.row_hash, rev = p.rev + 1, updated_at = excluded.updated_at,
  participates = coalesce(excluded.participates, p.participates),
  attributes = nullif(coalesce(excluded.attributes, p.attributes)::text, '{}')::json
  -- Of a player who was erased meanwhile nothing is stored.
  where p.row_hash <> '\x00' and (p.row_hash <> excluded.row_hash or p.participates is not false <> excluded.participates
    or coalesce(p.attributes::text, '{}') <> excluded.attributes::text)
returning user_id as key, rev = 1 as inserted

-- name: players-copy
-- in:   as COPY text: the values of a player's row in column order, its hash, 1, the moment of the request twice, and whether the player participates
-- out:  nothing; fails if a player is already stored
-- why:  the fastest way to insert players that were looked up and are not stored
copy players (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, rev, created_at, updated_at, participates
) from stdin

-- name: players-fingerprints
-- in:   $1 user ids, tab-separated
-- out:  one row with those that are stored: keys, tab-separated, and fingerprints in the same order (row hashes in hex)
-- why:  unchanged records need not be written, and a dry run reports what an upsert would do
select string_agg(user_id, chr(9)) as keys, string_agg(encode(row_hash, 'hex'), chr(9)) as fingerprints
from players
where user_id = any (string_to_array($1::text, chr(9)))

-- name: players-values
-- in:   $1 user ids
-- out:  key and values of those that are stored: the values of their rows as text, in the order of players-copy
-- why:  an import fills empty fields from what is stored
select user_id as key, array[
  user_id, name, email, phone, address, to_char(date_of_birth, 'YYYY-MM-DD'), gender, refer_code, state, district, referred_by,
  pincode, country
]::text[] as values
from players
where user_id = any ($1::text[])

-- name: player-find
-- in:   $1 a user id
-- out:  the player as stored; no row if unknown
-- why:  one player, for display
select
  -- include: stored-player
from players
where user_id = $1::text

-- name: players-page
-- in:   $1 the previous page's last user id, $2 and $3 the lowest and highest id with a prefix, $4 limit
-- out:  players as stored, by id
-- why:  a page of all players, by key: no page costs more than the first
select
  -- include: stored-player
from players
where user_id > $1::text and user_id >= $2::text and user_id <= $3::text
order by user_id
limit $4::bigint

-- name: players-search
-- in:   $1 a user id, $2 an e-mail address, $3 a phone number without its plus, $4 a referral code, any of them null; $5 the previous page's last user id, $6 limit
-- out:  players as stored that match any of these, by id
-- why:  finds a player by whichever of them is at hand. Matches come from the indexes first and are then sorted: reading in key order would scan all players
with found as materialized (
  select user_id from players where user_id = $1::text
  union
  select user_id from players where lower(email collate "C") = lower($2::text collate "C")
  union
  select user_id from players where ltrim(phone collate "C", '+') = $3::text
  union
  select user_id from players where refer_code <> '' and refer_code = $4::text
),
page as (
  select user_id from found where user_id > $5::text order by user_id limit $6::bigint
)
select
  -- include: stored-player
from page
join players using (user_id)
order by user_id
