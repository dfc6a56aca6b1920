-- in:   $1 a user id
-- out:  the player as stored, moments as RFC 3339 texts; no row if it was never sent
-- why:  one record for a person who looks at it
select user_id, name, email, phone, address, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, gender, refer_code,
  state, district, referred_by, pincode, country, rev,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
from players
where user_id = $1::text
