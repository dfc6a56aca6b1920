-- Facts about the shop, the same for all processes. A key that is not here has its default.
create table settings (
  key        text collate "C" primary key,
  value      json not null,
  changed_at timestamptz not null,
  changed_by text not null -- the id of a token
);
-- A shop may do without dates of birth.
alter table players alter column date_of_birth drop not null;
