-- name: secret-find
-- in:   $1 a name
-- out:  its secret, in hex; no row if there is none yet
-- why:  each database has secrets of its own, which all services on it share
select encode(secret, 'hex') as secret from secrets where name = $1::text

-- name: secret-store
-- in:   $1 a name, $2 a new secret in hex
-- out:  nothing; the stored secret stays if there is one
-- why:  of services that start at once on a new database, all take the secret of the first
insert into secrets (name, secret) values ($1::text, decode($2::text, 'hex')) on conflict do nothing
