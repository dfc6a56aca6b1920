-- in:   $1 skus (each at most once, sorted), $2 prices, $3 the moment of the request
-- out:  a row for each product written: key, inserted; missing ones were unchanged
-- why:  one statement, so that counts and writes cannot disagree; equal prices are not rewritten
insert into products as p (sku, price, rev, created_at, updated_at)
select sku, price, 1, $3::timestamptz, $3::timestamptz
from unnest($1::text[], $2::numeric[]) with ordinality as incoming (sku, price, place)
order by place
on conflict (sku) do update set
  price = excluded.price, rev = p.rev + 1, updated_at = excluded.updated_at
  where p.price <> excluded.price
returning sku as key, rev = 1 as inserted
