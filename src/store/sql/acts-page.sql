-- in:   $1 and $2 the moment and id of the previous page's last act, $3 limit, $4 the id or name of a token, $5 a kind of act; $4 and $5 null: any
-- out:  older acts, newest first, with the token's name; moments as RFC 3339, details as JSON
-- why:  the key gives the order, so no page costs more than the first; acts are made by hand, so filtering needs no index
select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, act_id, by, tokens.name as by_name, act, subject, detail::text as detail
from acts left join tokens on tokens.token_id = acts.by
where (acts.at, act_id) < ($1::timestamptz, $2::text)
  and (acts.by = $4::text or tokens.name = $4::text or $4::text is null) and (act = $5::text or $5::text is null)
order by acts.at desc, act_id desc
limit $3::bigint
