-- name: person-export
-- in:   $1 a user id, $2 the player's handle, $3 and $4 place and key of the previous page's last record, $5 limit
-- out:  place (of the kind, from 1), key and record: what is kept about the player, by place and key
-- why:  a page at a time, so that memory is bounded; a player has few thousand records. The audit log has no index: it is read once for each page
select place, key, record
from (
  select 1 as place, ''::text collate "C" as key, to_jsonb(p) - 'row_hash' as record from players p where user_id = $1::text
  union all
  select 2, ''::text, to_jsonb(a) from accounts a where user_id = $1::text
  union all
  select 3, ''::text, to_jsonb(f) from account_figures f where user_id = $1::text
  union all
  select 4, order_id, to_jsonb(o) from orders o where user_id = $1::text
  union all
  select 5, lpad(seq::text, 19, '0'), to_jsonb(e) from entries e where user_id = $1::text
  union all
  select 6, redemption_id, to_jsonb(r) from redemptions r where user_id = $1::text
  union all
  select 7, prediction_id::text, to_jsonb(p) - '{order_digest,player_digest,prices_digest}'::text[]
  from predictions p
  where user_id = $1::text
  union all
  select 8, order_id, to_jsonb(d) from differed_predictions d where user_id = $1::text
  union all
  select 9, act_id, to_jsonb(a) from acts a where subject = $2::text or detail ->> 'user_id' = $2::text
) as kept
where (place, key) > ($3::int, $4::text)
order by place, key
limit $5::bigint

-- name: person-find
-- in:   $1 a user id
-- out:  the texts that identify the player on their own, and whether they were erased already; locked until the transaction ends. No row if unknown
-- why:  a request that writes the player's record comes before the erasure, or after it
select name, email, phone, address, refer_code, row_hash = '\x00' as is_erased
from players
where user_id = $1::text
for update

-- name: person-lock-totals
-- in:   nothing
-- out:  nothing; no other process counts accounts until the transaction ends
-- why:  an account that gets another id while it is counted would be counted twice; and what is written meanwhile is found in account_changes. Both locks: see account-totals-lock
select pg_advisory_xact_lock(7281404)::text as locked
from (select from account_totals for update) as totals

-- name: person-raise-accounts
-- in:   $1 user ids, sorted; $2 that of the player
-- out:  nothing; the accounts have the next revision, with the movements that they keep, and the player has one
-- why:  a request that has read the accounts before runs again, and finds the player erased
insert into accounts as a (user_id, points, counted, orders, entries, rev)
select user_id, 0, 0, 0, 0, 1
from unnest($1::text[]) as raised (user_id)
where user_id = $2::text or user_id in (select user_id from accounts where user_id = any ($1::text[]))
order by user_id
on conflict (user_id) do update set rev = a.rev + 1, movements_rev = case when a.movements_rev = a.rev then a.rev + 1 else a.movements_rev end

-- fragment: without-code
-- in:   explanation, and $2, the code that its notes must not name; null: any
-- out:  the explanation without the code
-- why:  one form for the player's own orders and for those of others
(explanation::jsonb || jsonb_build_object('notes', (
    select coalesce(jsonb_agg(
      case
        when note ->> 'kind' = 'unknown-referral-code' and ($2::text is null or note ->> 'text' like '%: ' || replace(replace(replace($2::text, '\', '\\'), '%', '\%'), '_', '\_'))
          then note || jsonb_build_object('text', split_part(note ->> 'text', ': ', 1) || ': ')
        else note
      end
      order by place
    ), '[]')
    from jsonb_array_elements(explanation::jsonb -> 'notes') with ordinality as notes (note, place)
  )))::json

-- name: person-erase-entries
-- in:   $1 a user id, $2 null
-- out:  one row: how many entries there are, and how many of them have lost a reason
-- why:  points stay, with their days and versions; only texts go. A cluster builds no JSON where an update sets a column, so all these join it
with before as (
  select count(*)::int as entries, (count(*) filter (where reason <> ''))::int as reasons from entries where entries.user_id = $1::text
),
blanked as (
  update entries e set reason = case when e.reason is not null then '' end, explanation = blank.explanation
  from (
    select seq, case when explanation::text like '%unknown-referral-code%' then
        -- include: without-code
      else explanation end as explanation
    from entries
    where entries.user_id = $1::text and (reason <> '' or explanation::text like '%unknown-referral-code%')
  ) as blank
  where e.user_id = $1::text and e.seq = blank.seq
)
select entries, reasons from before

-- name: person-erase-orders
-- in:   $1 a user id
-- out:  order_id of the player's orders
-- why:  amounts, prices, points and counts stay, so that the end of an order takes back what it gave, also in statistics by an attribute. Digests are compared with predictions, which go, and could be found by trying codes
with blank as materialized (
  select order_id,
    (state::jsonb - 'attributes' || jsonb_build_object('referral_code', '', 'lines', (
      select coalesce(jsonb_agg(line - 'attributes' order by place), '[]')
      from jsonb_array_elements(state::jsonb -> 'lines') with ordinality as lines (line, place)
    )))::json as state,
    (jsonb_build_object(
      'player', jsonb_build_object(
        'known', facts #> '{player,known}', 'state', '', 'district', '', 'country', '', 'gender', '',
        'points', facts #> '{player,points}', 'counted', facts #> '{player,counted}', 'orders', facts #> '{player,orders}'
      ),
      'prices', facts -> 'prices', 'codes', '{}'::jsonb, 'erased', true
    ) || case when facts ->> 'rounds_first_days' = 'true' then '{"rounds_first_days": true}'::jsonb else '{}' end
      || case when facts -> 'statistics_by' is not null then jsonb_build_object('statistics_by', facts -> 'statistics_by') else '{}' end
      || case when facts -> 'attributes' is not null then jsonb_build_object('attributes', facts -> 'attributes') else '{}' end)::json as facts
  from orders
  where user_id = $1::text
)
update orders o set state = blank.state, facts = blank.facts, first_digests = null
from blank
where o.user_id = $1::text and o.order_id = blank.order_id
returning o.order_id

-- name: person-erase-mentions
-- in:   $1 a user id, $2 the id that the player has from now on, $3 the player's referral code or an empty text, $4 user ids of others
-- out:  order_id of their orders that named the player or the code
-- why:  what a referral needs stays: who referred. Nobody needs the code any more
with blank as materialized (
  select user_id, order_id,
    case when referrer_id = $1::text then $2::text else referrer_id end as referrer_id,
    case when state ->> 'referral_code' <> ''
        and (state ->> 'referral_code' = $3::text or coalesce(facts -> 'codes' -> (state ->> 'referral_code') ->> 'referrerId' = $1::text, false))
      then (state::jsonb || '{"referral_code": "erased~"}')::json else state end as state,
    (facts::jsonb || jsonb_build_object('codes', (
      select coalesce(jsonb_object_agg(
        case when is_theirs then 'erased~' else code end,
        case when owner ->> 'referrerId' = $1::text then jsonb_build_object('referrerId', $2::text) else owner end
      ), '{}')
      from (
        select code, owner, code = $3::text or coalesce(owner ->> 'referrerId' = $1::text, false) as is_theirs
        from jsonb_each(facts::jsonb -> 'codes') as codes (code, owner)
      ) as all_codes
      where not is_theirs or code = state ->> 'referral_code'
    )))::json as facts
  from orders
  where user_id = any ($4::text[])
    and (referrer_id = $1::text or state ->> 'referral_code' = $3::text and $3::text <> '' or exists (
      select from json_each(facts -> 'codes') as codes (code, owner)
      where owner ->> 'referrerId' = $1::text or code = $3::text and $3::text <> ''
    ))
)
update orders o set referrer_id = blank.referrer_id, state = blank.state, facts = blank.facts
from blank
where o.user_id = any ($4::text[]) and o.user_id = blank.user_id and o.order_id = blank.order_id
returning o.order_id

-- name: person-erase-notes
-- in:   $1 user ids, $2 the referral code of a player, $3 ids of orders that named it
-- out:  nothing
-- why:  an order that came before its code had an owner has a note about it in its entries
with blank as materialized (
  select user_id, seq,
    -- include: without-code
    as explanation
  from entries
  where user_id = any ($1::text[]) and order_id = any ($3::text[]) and explanation::text like '%unknown-referral-code%'
)
update entries e set explanation = blank.explanation
from blank
where e.user_id = any ($1::text[]) and e.user_id = blank.user_id and e.seq = blank.seq

-- name: person-late-mentions
-- in:   $1 the id of a player, $2 the player's referral code or an empty text
-- out:  user_id of players with an order that names the player or the code, of those who were written and are not yet counted
-- why:  while account_totals is locked nobody counts them: so this finds who came since all orders were read
select distinct user_id
from orders
where user_id in (select user_id from account_changes) and user_id <> $1::text and strpos(facts::text, '"codes":{}') = 0
  and exists (
    select from json_each(facts -> 'codes') as named (code, owner) where code = $2::text or owner ->> 'referrerId' = $1::text
  )
order by user_id

-- name: person-erase-redemptions
-- in:   $1 a user id, $2 the moment
-- out:  one row: how many redemptions there are, and how many of them were open holds
-- why:  spent points stay spent
with before as (
  select count(*)::int as redemptions, (count(*) filter (where state = 'held' and held_until > $2::timestamptz))::int as holds
  from redemptions
  where user_id = $1::text
),
blanked as (
  update redemptions set reason = '', rev = rev + 1, updated_at = $2::timestamptz,
    state = case when state = 'held' then 'voided' else state end,
    held_until = case when state = 'held' then null else held_until end,
    voided_parts = (
      select json_agg(json_build_object('points', part ->> 'points', 'reason', '') order by place)
      from json_array_elements(voided_parts) with ordinality as parts (part, place)
    )
  where user_id = $1::text
)
select redemptions, holds from before

-- name: person-lock-predictions
-- in:   nothing
-- out:  nothing; no process writes predictions until the transaction ends
-- why:  one that is writing now is waited for, and its rows are found; one that comes later finds the player erased
lock table predictions, differed_predictions in share row exclusive mode

-- name: person-delete-predictions
-- in:   $1 a user id
-- out:  one row: how many predictions were stored
-- why:  they are kept for statistics, which have counted them
with gone as (
  delete from predictions where user_id = $1::text returning 1 as one
),
differed as (
  delete from differed_predictions where user_id = $1::text
)
select count(*)::int as predictions from gone

-- name: person-count-anew
-- in:   $1 a user id
-- out:  nothing; the account is counted anew, if it was counted before
-- why:  sums stay; holds are gone
insert into account_changes (user_id)
select user_id
from (
  select user_id from account_figures where user_id = $1::text
  union
  select user_id from account_changes where user_id = $1::text
) as counted

-- name: person-erase-player
-- in:   $1 a user id, $2 the moment
-- out:  nothing
-- why:  the row stays, so that whatever belongs to the player still finds one; its hash says that the player was erased
update players set
  name = '', email = '', phone = '', address = '', date_of_birth = null, gender = '', refer_code = '', state = '',
  district = '', referred_by = '', pincode = '', country = '',
  row_hash = '\x00', rev = rev + 1, state_version = null, participates = null, attributes = null, updated_at = $2::timestamptz
where user_id = $1::text

-- name: person-erase-referred-by
-- in:   $1 texts that identify the player, $2 user ids of others
-- out:  a row for each of them who had one of the texts as their referrer
-- why:  the hash stays, so that the same record sent again does not bring it back
update players set referred_by = '' where user_id = any ($2::text[]) and referred_by = any ($1::text[]) returning 1 as one

-- name: person-erase-reports
-- in:   $1 texts that identify the player, $2 the old and $3 the new id as JSON, $4 whether the id changes
-- out:  one row: how many results of jobs were deleted
-- why:  reports can be made again; what runs now may have read the old id, and would keep it
with gone as (
  delete from jobs
  where exists (
    select from unnest($1::text[]) as named (text) where strpos(request, text) > 0 or strpos(coalesce(result, ''), text) > 0
  )
  returning 1 as one
),
stopped as (
  update jobs set is_cancelled = true where $4::boolean and state = 'running'
),
ranked as (
  update account_sweeps set top = replace(top::text, $2::text, $3::text)::json
  where $4::boolean and strpos(top::text, $2::text) > 0
)
select count(*)::int as jobs from gone

-- name: person-rename-acts
-- in:   $1 the old and $2 the new handle
-- out:  nothing
-- why:  a handle is the encrypted id: whoever has the database could read the old one
update acts set subject = replace(subject, $1::text, $2::text), detail = replace(detail::text, $1::text, $2::text)::json
where subject = $1::text or strpos(detail::text, $1::text) > 0

-- name: person-backfill-open
-- in:   nothing
-- out:  a row if entries from before days were kept are still being counted
-- why:  how far is known by the id of a player
select 1 as one from statistics_backfill where not done

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
-- why:  a cluster does not change the column by which rows are placed. One server would write as many entries for an update, and half as many orders
insert into :table (user_id, :columns)
select $2::text, :columns from :table where user_id = $1::text

-- name: person-delete-rows
-- in:   $1 the old id of a player
-- out:  nothing
-- why:  see person-move-rows
delete from :table where user_id = $1::text

-- name: person-move-owners
-- in:   $1 and $2 the old and the new id of a player, $3 ids of the player's orders
-- out:  a row for each that has another owner now
-- why:  owners lie by the ids of orders, unlike all else about a player
update order_owners set user_id = $2::text where order_id = any ($3::text[]) and user_id = $1::text
returning order_id
