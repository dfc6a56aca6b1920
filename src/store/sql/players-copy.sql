-- in:   as COPY text: the values of a player's row in column order, its hash, 1, and the moment of the request twice
-- out:  nothing; fails if a player is already stored
-- why:  the fastest way to insert players that were looked up and are not stored
copy players (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, rev, created_at, updated_at
) from stdin
