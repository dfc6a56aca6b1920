-- name: accounts-find
-- in:   $1 user ids
-- out:  a row for each known player: user_id, name, whether they were erased, and the account, null if there is none yet
-- why:  players with their balances; one statement for the whole list
select p.user_id, p.name, p.row_hash = '\x00' as is_erased,
  case when a.user_id is not null then
    -- include: account.fragment.sql
  end as account
from players p
left join accounts a on a.user_id = p.user_id
where p.user_id = any ($1::text[])
