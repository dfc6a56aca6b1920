-- in:   a row of players
-- out:  the columns shown for a player; moments as RFC 3339
-- why:  one format for a single player, for lists and for searches
user_id, name, email, phone, address, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, gender, refer_code,
  state, district, referred_by, pincode, country, rev,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
