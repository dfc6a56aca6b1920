import test from 'node:test'
import { runBalancesCampaign } from './balances.ts'

test('in any history predictions come true, no order spends more than there is, and every balance matches a plain count (decisions 138 and 139)', (t) => {
  runBalancesCampaign({ histories: 60, seed: Date.now() % 2 ** 31, say: (line) => t.diagnostic(line) })
})
