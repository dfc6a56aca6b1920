-- in:   $1 name, $2 publisher, $3 note, $4 the moment from which it is in effect, $5 source, $6 the moment of publication
-- out:  one row: the version
-- why:  the next number is unique because the caller holds the table lock
insert into programs (version, name, publisher, note, holds_from, source, published_at)
select coalesce(max(version), 0) + 1, $1::text, $2::text, $3::text, $4::timestamptz, $5::text, $6::timestamptz
from programs
returning version
