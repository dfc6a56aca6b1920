-- Whether the ends that a version's earlier-points assigns on the first day of a month or year are rounded up, too: false for what was published before
-- (docs/decisions/0220-ends-of-periods.md).
alter table programs add column rounds_first_days boolean not null default false;
