create table players (
  user_id       text collate "C" primary key,
  name          text not null,
  email         text not null,
  phone         text not null,
  address       text not null,
  date_of_birth date not null,
  gender        text not null,
  refer_code    text not null,
  state         text not null,
  district      text not null,
  referred_by   text not null,
  pincode       text not null,
  country       text not null,
  row_hash      bytea not null, -- 16 bytes over all values above: equal hashes are equal records
  rev           bigint not null, -- 1 for a new record, one more for each change
  created_at    timestamptz not null,
  updated_at    timestamptz not null
);
