import type { LedgerDocument } from '../../resources/verification/verify-ledger.ts'
import { count, escapeControls } from '../../text.ts'

/** The outcome of a verification, for people at a terminal: one line, and one for each of the first differences. */
export function ledgerText({ players, orders, entries, differing, differences }: LedgerDocument): string {
  const looked = `${count(players, 'player')}, ${count(orders, 'order')}, ${entries === '1' ? '1 entry' : `${entries} entries`}`
  if (differing === 0) return `${looked}: no difference`
  return [
    `${looked}: ${count(differing, 'difference')}`,
    ...differences.map((difference) => `  ${escapeControls(difference)}`),
    ...(differing > differences.length ? [`  and ${differing - differences.length} more`] : []),
  ].join('\n')
}
