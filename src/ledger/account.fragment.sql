-- in:   a, a row of accounts
-- out:  the account as a JSON list, numbers as text
-- why:  one format for everything that reads accounts; every prediction reads one, and an object costs more (bench/NOTES.md)
json_build_array(a.points::text, a.counted::text, a.orders::text, a.entries::text, a.first_order_id, a.rev::text)
