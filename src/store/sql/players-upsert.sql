-- in:   $1 user ids (each at most once, sorted), $2 to $13 the other values, $14 row hashes in hex, $15 the moment of the request
-- out:  a row for each player written: key, inserted; missing ones were unchanged
-- why:  one statement, so that counts and writes cannot disagree; sorted, so that requests never lock in opposite order
insert into players as p (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, rev, created_at, updated_at
)
select user_id, name, email, phone, address, date_of_birth::date, gender, refer_code, state, district, referred_by, pincode, country,
  decode(row_hash, 'hex'), 1, $15::timestamptz, $15::timestamptz
from unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[]
) with ordinality as incoming (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, place
)
order by place
on conflict (user_id) do update set
  name = excluded.name, email = excluded.email, phone = excluded.phone, address = excluded.address,
  date_of_birth = excluded.date_of_birth, gender = excluded.gender, refer_code = excluded.refer_code,
  state = excluded.state, district = excluded.district, referred_by = excluded.referred_by,
  pincode = excluded.pincode, country = excluded.country,
  row_hash = excluded.row_hash, rev = p.rev + 1, updated_at = excluded.updated_at
  where p.row_hash <> excluded.row_hash
returning user_id as key, rev = 1 as inserted
