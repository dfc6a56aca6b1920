-- in:   $1 draft id, $2 the revision that was edited, $3 name, $4 source, $5 cases, $6 the moment, $7 by whom
-- out:  one row if the draft was still at that revision
-- why:  when two people edit the same draft, the second must not overwrite the first unnoticed
update drafts set name = $3::text, source = $4::text, cases = $5::text, revision = revision + 1,
  changed_at = $6::timestamptz, changed_by = $7::text
where draft_id = $1::text and revision = $2::integer
returning draft_id
