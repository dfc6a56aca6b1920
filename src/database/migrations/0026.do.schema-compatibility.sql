-- The oldest version of the schema that code must know to open this database, however new its schema is. One row; a migration that such code cannot
-- work with raises it. Where the table is missing, code must know every migration that was applied (docs/decisions/0219-migrations-only-add.md).
create table laurel_schema_compatibility (
  oldest_version bigint primary key
);
insert into laurel_schema_compatibility values (26);
