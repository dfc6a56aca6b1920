-- name: person-move-scan
-- in:   $1 the old id of a player
-- out:  nothing; a count of all accounts that has come to this one goes on after the one before
-- why:  how far it has come is known by the id of an account
update account_totals
set scanned_to = coalesce((select max(user_id) from accounts where user_id < $1::text), '')
where scanned_to = $1::text

-- name: person-move-backfill
-- in:   $1 the old id of a player
-- out:  nothing
-- why:  the last player whose earlier entries were counted; all of them were
update statistics_backfill set user_id = '' where user_id = $1::text and done

-- name: person-tables
-- in:   $1 names of tables
-- out:  name and columns: those besides user_id, as a list in SQL
-- why:  a row that moves keeps all its values, also those of columns that a later version has added
select name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
from unnest($1::text[]) as given (name)
join pg_attribute a on a.attrelid = to_regclass(name)
where a.attnum > 0 and not a.attisdropped and a.attname <> 'user_id'
group by name
order by name

-- name: person-move-rows
-- in:   $1 and $2 the old and the new id of a player
-- out:  nothing; the player's rows of a table are there under both
-- why:  a cluster does not change the column by which rows are placed. One server writes as many rows for an update
insert into :table (user_id, :columns)
select $2::text, :columns from :table where user_id = $1::text

-- name: person-delete-rows
-- in:   $1 the old id of a player
-- out:  nothing
-- why:  see person-move-rows
delete from :table where user_id = $1::text

-- name: person-move-owners
-- in:   $1 and $2 the old and the new id of a player, $3 ids of the player's orders
-- out:  nothing
-- why:  owners lie by the ids of orders, unlike all else about a player (move-player.ts)
update order_owners set user_id = $2::text where order_id = any ($3::text[]) and user_id = $1::text
