-- What the balance of an account is computed from, so that it is read with the account (docs/decisions/0166-movements-of-accounts.md). Null, or
-- with another revision than the account's: it is read from the entries.
alter table accounts
  add column movements text, -- without their order, by day and terms (ledger/kept-movements.ts)
  add column movements_rev bigint; -- the revision of the account that they belong to
