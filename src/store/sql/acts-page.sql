-- in:   $1 and $2 the moment and the id of the last act of the page before, $3 how many, $4 the id or the name of a token and $5 what; null: whoever, whatever
-- out:  acts before that one, newest first, with the name of the token; moments as RFC 3339, details as JSON
-- why:  a page of a history that only grows; the key is its order, so no page costs more than the first; acts are done by hand, so reading past others' needs no index
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, act_id, by, tokens.name as by_name, act, subject, detail::text as detail
from acts left join tokens on tokens.token_id = acts.by
where (acts.at, act_id) < ($1::timestamptz, $2::text)
  and (acts.by = $4::text or tokens.name = $4::text or $4::text is null) and (act = $5::text or $5::text is null)
order by acts.at desc, act_id desc
limit $3::bigint
