import test from 'node:test'
import { forEachService } from '../support/test-app.ts'
import { EXTRACT, runRealOrdersCampaign } from './real-orders.ts'

forEachService((open) => {
  test('real orders of which a quarter is paid with points come to what was predicted, and to what a plain count says (decisions 138 and 139)', async (t) => {
    await runRealOrdersCampaign(t, { file: EXTRACT, open, say: (line) => t.diagnostic(line) })
  })
})
