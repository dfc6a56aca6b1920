-- in:   $1 nouns, $2 token ids, $3 moments of the last successful requests
-- out:  nothing
-- why:  requests less than a minute apart are one delivery; the usual gap is a moving average, in which the latest gap weighs one eighth
insert into feed_last as f (noun, token_id, last_good_at)
select * from unnest($1::text[], $2::text[], $3::timestamptz[]) as incoming (noun, token_id, last_good_at)
order by noun, token_id
on conflict (noun, token_id) do update set
  last_good_at = greatest(f.last_good_at, excluded.last_good_at),
  gap_ms = case when excluded.last_good_at - f.last_good_at < interval '1 minute' then f.gap_ms
    else round(
      coalesce(f.gap_ms, extract(epoch from excluded.last_good_at - f.last_good_at) * 1000) * 7 / 8
      + extract(epoch from excluded.last_good_at - f.last_good_at) * 1000 / 8
    ) end
