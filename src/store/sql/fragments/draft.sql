-- in:   a row of drafts
-- out:  its columns except the texts; moments as RFC 3339
-- why:  shared by the list, which shows no texts, and a single draft
draft_id as id, name, based_on, revision,
  to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, created_by,
  to_char(changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, changed_by
