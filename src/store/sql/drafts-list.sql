-- in:   nothing
-- out:  all drafts without their texts, most recently changed first
-- why:  there are at most 100, so the list needs no pages
select
  -- include: draft
from drafts
order by drafts.changed_at desc, draft_id
