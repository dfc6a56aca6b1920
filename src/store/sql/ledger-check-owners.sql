-- in:   $1 how many at most
-- out:  order ids that have an owner but no order
-- why:  such an id could never be used again
select w.order_id
from order_owners w
left join orders o on o.user_id = w.user_id and o.order_id = w.order_id
where o.order_id is null
order by w.order_id
limit $1::bigint
