-- How far entries from before days were kept (0012) are counted in the statistics, in the order of their keys. No row: there were none.
create table statistics_backfill (
  user_id text collate "C" not null,
  seq     bigint not null,
  counted bigint not null,
  done    boolean not null
);
insert into statistics_backfill select '', 0, 0, false where exists (select from entries);
