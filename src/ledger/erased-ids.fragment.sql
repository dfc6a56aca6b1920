-- in:   $1 user ids and $2 their digests in hex, in pairs, of those that may have been replaced; $3 user ids
-- out:  those whose player was erased, as an array
-- why:  what another process has in memory is written after an erasure
array(
  select user_id from players where user_id = any ($3::text[]) and row_hash = '\x00'
  union all
  select sent.user_id collate "C"
  from unnest($1::text[], $2::text[]) as sent (user_id, digest)
  join erasures on erasures.digest = decode(sent.digest, 'hex')
)
