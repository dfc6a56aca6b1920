-- in:   $1 an order id
-- out:  a row where there is such an order
-- why:  a version that was sent too high would keep every later state out. The account's revision tells requests that have read the order
with owner as (
  select user_id from order_owners where order_id = $1::text
),
noticed as (
  update accounts set rev = rev + 1 where user_id in (select user_id from owner)
)
update orders
set state_version = null
where order_id = $1::text and user_id in (select user_id from owner)
returning 1 as one
