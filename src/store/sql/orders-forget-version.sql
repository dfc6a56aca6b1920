-- in:   $1 an order id
-- out:  a row if the order exists
-- why:  a version sent too high by mistake would block every later state. Raising the account's revision makes concurrent requests that have read the order start over
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
