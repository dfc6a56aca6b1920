import test from 'node:test'
import { runBalancesCampaign } from './balances.ts'

test('in any history what was predicted is recorded, no order spends what is not there, and every balance is that of a plain count (decisions 138 and 139)', (t) => {
  runBalancesCampaign({ histories: 60, seed: Date.now() % 2 ** 31, say: (line) => t.diagnostic(line) })
})
