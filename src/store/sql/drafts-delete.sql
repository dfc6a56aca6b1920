-- in:   $1 draft id
-- out:  one row if the draft existed
-- why:  once published, a program is a version, and its draft is no longer needed
delete from drafts where draft_id = $1::text returning draft_id
