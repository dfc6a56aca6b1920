import test from 'node:test'
import { forEachService } from '../support/test-app.ts'
import { EXTRACT, runRealOrdersCampaign } from './real-orders.ts'

forEachService((open) => {
  test('for real orders, a quarter of them paid with points, predictions come true and balances match a plain count (decisions 138 and 139)', async (t) => {
    await runRealOrdersCampaign(t, { file: EXTRACT, open, say: (line) => t.diagnostic(line) })
  })
})
