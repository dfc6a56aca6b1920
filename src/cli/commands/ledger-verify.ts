import { count, oneLine } from '../../operations/reports/text.ts'
import { verifyLedger } from '../../operations/verify-ledger.ts'
import { CommandFailed } from '../client.ts'
import { showProgress, withStore } from './whole-store.ts'

/** `laurel ledger verify`: derives every sum and every order anew. Fails with the differences, where there are any. */
export async function verify(): Promise<void> {
  await withStore(async (db) => {
    const progress = showProgress('{players} players, {orders} orders | {duration_formatted}', {
      players: 0,
      orders: 0,
    })
    const report = await verifyLedger(db, progress.update).finally(progress.stop)
    const { players, orders, entries, differing, differences } = report
    const looked = `${count(players, 'player')}, ${count(orders, 'order')}, ${entries === 1n ? '1 entry' : `${entries} entries`}`
    if (differing === 0) {
      process.stdout.write(`${looked}: no difference\n`)
      return
    }
    const told = differences.map((difference) => `  ${oneLine(difference)}`)
    const more = differing > differences.length ? [`  and ${differing - differences.length} more`] : []
    throw new CommandFailed(409, [`${looked}: ${count(differing, 'difference')}`, ...told, ...more].join('\n'))
  })
}
