-- in:   asked, user ids
-- out:  what the entries of each of these players give, in the format of kept-movements.ts; no row for players without entries
-- why:  one definition for what accounts keep, what is checked, and what is read in place of what is not kept
  select user_id,
    string_agg(
      concat_ws(' ', day, usable_on, expires_on, slides, case when is_reinstated then 'r' when is_spent then 't' else 'f' end, points), ','
    ) as movements
  from (
    select
      -- include: movement.fragment.sql
      , e.kind = 'reinstated' as is_reinstated, sum(e.points) as points, e.user_id
    from entries e
    where e.user_id in (select user_id from asked)
    group by 1, 2, 3, 4, 5, 6, 8
  ) as by_day
  group by user_id
