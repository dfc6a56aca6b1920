-- in:   $1 draft id
-- out:  one row with the draft's texts, if it exists
-- why:  for whoever continues editing it
select source, cases,
  -- include: draft
from drafts
where draft_id = $1::text
