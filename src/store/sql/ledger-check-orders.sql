-- in:   $1 and $2 the previous page's last player and order, $3 how many orders
-- out:  a row per order: the complete recorded order, its owner, its player's first order, and the terms of its points as lists
-- why:  each order is recomputed by its program and compared with what is stored
with page as (
  select *
  from orders
  where (user_id, order_id) > ($1::text, $2::text)
  order by user_id, order_id
  limit $3::bigint
),
given as (
  select user_id, order_id, json_agg(json_build_array(usable_on, expires_on, slides)) as terms
  from (
    select user_id, order_id, usable_on, expires_on, slides
    from entries
    where user_id in (select user_id from page) and kind in ('order', 'referral') and order_id in (select order_id from page)
    group by user_id, order_id, usable_on, expires_on, slides
    having sum(points) <> 0
  ) as summed
  group by user_id, order_id
)
select o.user_id, o.order_id, w.user_id as owner_id, a.first_order_id,
  -- include: recorded-order
  as recorded,
  coalesce(g.terms, '[]') as terms
from page o
left join order_owners w on w.order_id = o.order_id
left join accounts a on a.user_id = o.user_id
left join given g on g.user_id = o.user_id and g.order_id = o.order_id
order by o.user_id, o.order_id
