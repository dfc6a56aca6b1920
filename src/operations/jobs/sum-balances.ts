import { dayAfter } from '../../points/local-time.ts'
import { readerOf } from '../../store/db/reader.ts'
import { listStatistics } from '../../store/statistics.ts'
import type { Deps } from '../deps.ts'

/** How soon the metrics know of another balance. */
export const SUM_BALANCES_MS = 30_000

const TIMEOUT_MS = 10_000

/** Tells the metrics what is booked in all, from the statistics. Errors: Unavailable. */
export async function sumBalances({ db, now, observe }: Pick<Deps, 'db' | 'now' | 'observe'>): Promise<void> {
  // Nowhere has a day begun that is later.
  const to = dayAfter(now().toISOString().slice(0, 10), 1)
  const question = { basis: 'booked', per: 'span', from: '-infinity', to, measures: ['balance', 'debts'] } as const
  const [lines = []] = await listStatistics(readerOf(db, performance.now() + TIMEOUT_MS), [question])
  const sumOf = (measure: string) => Number(lines.find((line) => line.measure === measure)?.points ?? 0)
  observe({ kind: 'balances-summed', balance: sumOf('balance'), debts: sumOf('debts') })
}
