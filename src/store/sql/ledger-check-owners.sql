-- in:   $1 how many at most
-- out:  order ids that have an owner and no order
-- why:  nobody could ever use such an id again
select w.order_id
from order_owners w
left join orders o on o.user_id = w.user_id and o.order_id = w.order_id
where o.order_id is null
order by w.order_id
limit $1::bigint
