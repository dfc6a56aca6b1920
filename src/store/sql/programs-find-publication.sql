-- in:   $1 the moment of publication, $2 source
-- out:  one row: the version; none where this was not published yet
-- why:  a publication whose outcome stayed unknown is run again, and must not become two versions
select version from programs where published_at = $1::timestamptz and source = $2::text
