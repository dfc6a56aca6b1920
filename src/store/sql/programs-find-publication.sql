-- in:   $1 the moment of publication, $2 source
-- out:  one row: the version; none if this has not been published yet
-- why:  a publication retried after an unknown outcome must not become two versions
select version from programs where published_at = $1::timestamptz and source = $2::text
