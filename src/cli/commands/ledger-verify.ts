import { type LedgerDocument, ledgerDocumentOf, verifyLedger } from '../../resources/verification/verify-ledger.ts'
import { withDatabase } from '../database.ts'
import { CommandFailed } from '../failure.ts'
import { runAsJob } from '../job.ts'
import { ledgerText } from '../output/ledger-text.ts'
import { printJson } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'

/** `laurel ledger verify`: derives every sum and every order again. Errors: CommandFailed with the differences, if there are any. */
export async function ledgerVerify({ json }: { json?: true }): Promise<void> {
  const progress = showCounts('{players} players, {orders} orders | {duration_formatted}', { players: 0, orders: 0 })
  const found = await verified(progress.update).finally(progress.stop)
  const text = ledgerText(found)
  if (json) printJson(found)
  if (found.differing > 0) throw new CommandFailed(text)
  if (!json) process.stdout.write(`${text}\n`)
}

async function verified(update: (done: { players: number; orders: number }) => void): Promise<LedgerDocument> {
  const ofService = await runAsJob('verify', {}, (count) =>
    update({ players: count('players').done, orders: count('orders').done }),
  )
  return ofService ?? ledgerDocumentOf(await withDatabase((db) => verifyLedger(db, update)))
}
