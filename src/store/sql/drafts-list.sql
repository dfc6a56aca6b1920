-- in:   nothing
-- out:  every draft without its texts, last changed first
-- why:  they are few: 100 at most
select
  -- include: draft
from drafts
order by drafts.changed_at desc, draft_id
