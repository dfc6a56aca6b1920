-- in:   $1 user ids, $2 order ids, $3 moments, $4 ids of the predictions, $5 to $17 the other columns in their order, digests in hex
-- out:  nothing
-- why:  one statement for all of a second; written again after an unknown outcome, it finds its own rows
insert into predictions (
  user_id, order_id, predicted_at, prediction_id, token_id, points, referred, level_before, level_after, program_version,
  order_digest, player_digest, prices_digest, duration_us, kept, seen, ordered_at
)
select user_id, order_id, predicted_at, prediction_id, token_id, points, referred, level_before, level_after, program_version,
  decode(order_digest, 'hex'), decode(player_digest, 'hex'), decode(prices_digest, 'hex'), duration_us, kept, seen,
  ordered_at
from unnest(
  $1::text[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[], $6::bigint[], $7::boolean[], $8::text[], $9::text[],
  $10::bigint[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[],
  $17::timestamptz[]
) as incoming (
  user_id, order_id, predicted_at, prediction_id, token_id, points, referred, level_before, level_after, program_version,
  order_digest, player_digest, prices_digest, duration_us, kept, seen, ordered_at
)
on conflict (user_id, order_id, predicted_at, prediction_id) do nothing
