-- in:   as COPY's text: the values of a player's row in their order, its hash, 1, and twice the moment of the request
-- out:  nothing; a player who is stored already fails it
-- why:  the fastest way in, for players that were asked for and are not there
copy players (
  user_id, name, email, phone, address, date_of_birth, gender, refer_code, state, district, referred_by, pincode, country,
  row_hash, rev, created_at, updated_at
) from stdin
