-- in:   a, a row of accounts
-- out:  the account as a list, numbers as texts
-- why:  one form for all who read accounts; every prediction reads one, and an object costs more (bench/NOTES.md)
json_build_array(a.points::text, a.counted::text, a.orders::text, a.entries::text, a.first_order_id, a.rev::text)
