-- in:   $1 name, $2 publisher, $3 note, $4 source, $5 the moment of publication
-- out:  nothing; writes only if no program was ever published
-- why:  two services starting on the same empty database must not both publish a first version
insert into programs (version, name, publisher, note, holds_from, source, published_at)
select 1, $1::text, $2::text, $3::text, '-infinity', $4::text, $5::timestamptz
where not exists (select from programs)
on conflict (version) do nothing
