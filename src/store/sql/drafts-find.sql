-- in:   $1 draft id
-- out:  one row if there is such a draft, with its texts
-- why:  for whoever goes on writing it
select source, cases,
  -- include: draft
from drafts
where draft_id = $1::text
