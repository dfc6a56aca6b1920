import { ledgerDocumentOf } from '../../operations/reports/ledger-document.ts'
import { verifyLedger } from '../../operations/verify-ledger.ts'
import { withDatabase } from '../database.ts'
import { CommandFailed } from '../failure.ts'
import { ledgerText } from '../output/ledger-text.ts'
import { printJson } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'

/** `laurel ledger verify`: derives every sum and every order anew. Errors: CommandFailed with the differences, where there are any. */
export async function ledgerVerify({ json }: { json?: true }): Promise<void> {
  await withDatabase(async (db) => {
    const progress = showCounts('{players} players, {orders} orders | {duration_formatted}', { players: 0, orders: 0 })
    const found = ledgerDocumentOf(await verifyLedger(db, progress.update).finally(progress.stop))
    const text = ledgerText(found)
    if (json) printJson(found)
    if (found.differing > 0) throw new CommandFailed(text)
    if (!json) process.stdout.write(`${text}\n`)
  })
}
