-- What was given back of a redemption in parts (docs/decisions/0140-holds-and-redemptions.md). `points` is what is left.
alter table redemptions add column voided_parts json; -- [{"points": "200", "reason": "..."}]; null: none
