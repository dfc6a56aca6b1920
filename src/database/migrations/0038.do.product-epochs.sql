-- Every statement that changes products replaces an epoch in its transaction. So a statement that sees the same epochs as an earlier one sees
-- the same products. Several, as writers of the same one wait for each other. None on a cluster, whose servers have moments of their own.
create table product_epochs (
  part  smallint primary key,
  epoch uuid not null
);
create function replace_product_epoch() returns trigger language plpgsql as $$
begin
  insert into product_epochs (part, epoch) values (abs(pg_backend_pid()) % 8, gen_random_uuid())
    on conflict (part) do update set epoch = excluded.epoch;
  return null;
end
$$;
do $$
begin
  if not exists (select from pg_extension where extname = 'citus') then
    create trigger products_change before insert or update or delete or truncate on products
      for each statement execute function replace_product_epoch();
  end if;
end
$$;
