-- in:   rows with the columns of `movement`
-- out:  all of them as one text, commas between them and blanks within (histories.ts)
-- why:  a row each makes the statement take 1.3 to 1.8 times as long for sixteen entries a player (bench/NOTES.md)
string_agg(concat_ws(' ', day, usable_on, expires_on, slides, is_spent, points), ',')
