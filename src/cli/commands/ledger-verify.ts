import type { Db } from '../../database/db/transaction.ts'
import { type LedgerDocument, ledgerDocumentOf, verifyLedger } from '../../resources/verification/verify-ledger.ts'
import { count, escapeControls } from '../../text.ts'
import { withDatabase } from '../database.ts'
import { CommandFailed } from '../failure.ts'
import { printJson, printText } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'
import { runAsJob } from '../run-as-job.ts'

/** `laurel ledger verify`: derives every sum and every order again. Errors: CommandFailed with the differences, if there are any. */
export async function ledgerVerify({ json }: { json?: true }): Promise<void> {
  const progress = showVerification()
  const document = await verified(progress.update).finally(progress.stop)
  const text = ledgerText(document)
  if (json) printJson(document)
  if (document.differing > 0) throw new CommandFailed(text)
  if (!json) printText(`${text}\n`)
}

/** A verification without a difference, as a document and for people. */
export type Verified = Readonly<{ document: LedgerDocument; text: string }>

/** Verifies the ledger of an open database, with its progress. Errors: CommandFailed with the differences, if there are any. */
export async function verifyDatabase(db: Db): Promise<Verified> {
  const progress = showVerification()
  const document = ledgerDocumentOf(await verifyLedger(db, progress.update).finally(progress.stop))
  const text = ledgerText(document)
  if (document.differing > 0) throw new CommandFailed(text)
  return { document, text }
}

function showVerification() {
  return showCounts('{players} players, {orders} orders | {duration_formatted}', { players: 0, orders: 0 })
}

async function verified(update: (done: { players: number; orders: number }) => void): Promise<LedgerDocument> {
  const ofService = await runAsJob('verify', {}, (count) =>
    update({ players: count('players').done, orders: count('orders').done }),
  )
  return ofService ?? ledgerDocumentOf(await withDatabase((db) => verifyLedger(db, update)))
}

/** The outcome of a verification, for people at a terminal: one line, and one for each of the first differences. */
function ledgerText({ players, orders, entries, erased = 0, differing, differences }: LedgerDocument): string {
  const apart = erased === 0 ? '' : `, ${count(erased, 'order')} of erased players only by their sums`
  const looked = `${count(players, 'player')}, ${count(orders, 'order')}, ${entries === '1' ? '1 entry' : `${entries} entries`}${apart}`
  if (differing === 0) return `${looked}: no difference`
  return [
    `${looked}: ${count(differing, 'difference')}`,
    ...differences.map((difference) => `  ${escapeControls(difference)}`),
    ...(differing > differences.length ? [`  and ${differing - differences.length} more`] : []),
  ].join('\n')
}
