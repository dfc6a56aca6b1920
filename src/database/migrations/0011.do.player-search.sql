-- Players by e-mail address in any case and by phone number with or without its plus. A filter for each 8 pages, made when the table is
-- vacuumed, so that new players are written as fast as without; what is newer is read. In the C collation only letters of ASCII have two cases.
create index players_by_contact on players using brin (
  lower(email collate "C") text_bloom_ops (n_distinct_per_range = 400),
  ltrim(phone collate "C", '+') text_bloom_ops (n_distinct_per_range = 400)
) with (pages_per_range = 8);
