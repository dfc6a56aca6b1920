create table products (
  sku        text collate "C" primary key,
  price      numeric(19, 4) not null,
  rev        bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
