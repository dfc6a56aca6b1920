-- Products that orders and predictions have named and the catalogue did not know: counted beside the ledger (docs/decisions/0126-unknown-products.md).
create table unknown_products (
  sku            text collate "C" not null primary key,
  orders         bigint not null,      -- when they were recorded first
  predictions    bigint not null,
  first_named_at timestamptz not null,
  last_named_at  timestamptz not null,
  order_id       text collate "C"      -- the last of the orders
);
