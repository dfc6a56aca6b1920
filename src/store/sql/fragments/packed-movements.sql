-- in:   rows with the columns of `movement`
-- out:  all of them as one text, rows separated by commas and columns by spaces (histories.ts)
-- why:  one row each would take 1.3 to 1.8 times as long with sixteen entries per player (bench/NOTES.md)
string_agg(concat_ws(' ', day, usable_on, expires_on, slides, is_spent, points), ',')
