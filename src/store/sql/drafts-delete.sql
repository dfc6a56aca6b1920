-- in:   $1 draft id
-- out:  one row if there was such a draft
-- why:  what was published is a version, and its draft of no use
delete from drafts where draft_id = $1::text returning draft_id
