import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { dayAfter } from '../../engine/points/calendar.ts'
import { findTotals } from '../../ledger/account-figures.ts'
import { listStatistics } from '../../ledger/tallies.ts'

/** How soon the metrics show a changed balance. */
export const SUM_BALANCES_MS = 30_000

const TIMEOUT_MS = 10_000

/**
 * Reports to the metrics the total of posted points, from the statistics, and what of them all accounts can spend now. Errors: Unavailable.
 */
export async function sumBalances({
  db,
  now,
  observe,
  programs,
}: Pick<Deps, 'db' | 'now' | 'observe' | 'programs'>): Promise<void> {
  const at = now().toISOString()
  // No time zone is further ahead than this day.
  const to = dayAfter(at.slice(0, 10), 1)
  const query = { basis: 'posted', per: 'span', from: '-infinity', to, measures: ['balance', 'debts'] } as const
  const reader = readerOf(db, performance.now() + TIMEOUT_MS)
  const [lines = []] = await listStatistics(reader, [query])
  const sumOf = (measure: string) => Number(lines.find((line) => line.measure === measure)?.points ?? 0)
  const balance = sumOf('balance')
  observe({ kind: 'balances-summed', balance, debts: sumOf('debts') })
  const totals = await findTotals(reader, programs(), at)
  if (totals === undefined) return
  const [outstanding, pending] = [Number(totals.outstanding), Number(totals.pending)]
  observe({ kind: 'outstanding-summed', at: totals.at, outstanding, pending })
}
