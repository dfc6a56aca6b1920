/*
 * What each migration does and what it locks, for `laurel migrate --check`. Not in the migrations themselves: those never change once they are on main.
 */

export type MigrationStep = Readonly<{
  /** What it does, after the number of the step. */
  does: string
  /** The tables that were there before and on which it lets nobody write meanwhile; absent: none. A test compares them with the locks it takes. */
  locks?: Readonly<{ tables: readonly string[]; for: 'a moment' | 'as long as it reads all their rows' }>
}>

const briefly = (...tables: string[]) => ({ tables, for: 'a moment' }) as const
const whileReading = (...tables: string[]) => ({ tables, for: 'as long as it reads all their rows' }) as const

/** The steps by their numbers, which their files begin with. */
export const MIGRATION_STEPS: Readonly<Record<number, MigrationStep>> = {
  1: { does: 'creates the table of players' },
  2: { does: 'creates the table of products' },
  3: { does: 'creates the table of program versions' },
  4: { does: 'creates the table of tokens' },
  5: {
    does: 'creates the tables of orders, accounts and entries, and an index of players by referral code',
    locks: whileReading('players'),
  },
  6: { does: 'adds columns for the withdrawal of a program version', locks: briefly('programs') },
  7: { does: 'creates the table of predictions' },
  8: {
    does: 'adds columns that explain why an order differs from its prediction',
    locks: briefly('orders', 'predictions'),
  },
  9: { does: 'adds a column for the number of a state', locks: briefly('orders', 'players', 'products') },
  10: {
    does: 'creates the table of shop settings, and permits players without a date of birth',
    locks: briefly('players'),
  },
  11: { does: 'creates an index of players by email and phone', locks: whileReading('players') },
  12: {
    does: 'creates the tables of statistics, and adds columns for the days of an entry',
    locks: briefly('entries'),
  },
  13: { does: 'adds a column for the last use of a token', locks: briefly('tokens') },
  14: { does: 'creates the tables of console sessions and of the audit log' },
  15: { does: 'creates the tables of feeds and response times' },
  16: { does: 'creates the tables of account sweeps' },
  17: { does: 'creates the table of jobs' },
  18: { does: 'creates the table that says how far old entries are counted in the statistics' },
  19: { does: 'creates the table of drafts' },
  20: { does: 'creates the table of redemptions' },
  21: { does: 'creates the table of orders that differed from their predictions' },
  22: { does: 'adds columns for outstanding points', locks: briefly('account_sweeps') },
  23: { does: 'creates an index of orders without points by reason', locks: whileReading('entries') },
  24: { does: 'creates the table of unknown products' },
  25: {
    does: 'reorders the keys of the statistics by measure',
    locks: whileReading('statistics_days', 'statistics_months'),
  },
  26: { does: 'creates the table that says which releases may open the database' },
  27: { does: 'adds a column for the rounding of first days to program versions', locks: briefly('programs') },
  28: { does: 'adds a column for partly voided redemptions', locks: briefly('redemptions') },
  29: { does: 'creates the table of secrets' },
  30: { does: 'creates the tables of figures by account' },
  31: { does: 'reserves room for changes on new pages of accounts' },
  32: { does: 'creates the table of erased people' },
  33: { does: 'adds a column for players who do not participate', locks: briefly('players') },
  34: { does: 'creates the table of attributes of products' },
  35: { does: 'adds a column for the attributes of a product', locks: briefly('products') },
  36: { does: 'adds a column for the attributes of a player', locks: briefly('players') },
  37: { does: 'adds columns for what the balance of an account is computed from', locks: briefly('accounts') },
}
