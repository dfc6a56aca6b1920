import assert from 'node:assert/strict'
import test from 'node:test'
import { jsonOf, parseSums } from '../../json-sums.ts'
import { probeDocumentOf, type ReplayedFinding } from './probe-document.ts'

test('balances of a finding beyond 2^53-1 have all their digits, as they have in answers about accounts', () => {
  const step = {
    ...{ userId: 'u-1', redeem: { id: 'r-1', points: 5n }, redemption: {} },
    ...{ balance: 9_007_199_254_740_993n, available: 9_007_199_254_740_995n, pending: -7n, held: 5n },
  }
  const finding = { kind: 'money', promise: '', title: '', because: '', histories: [{ name: '', steps: [step] }] }
  const found = [{ finding, replay: '' }] as unknown as readonly ReplayedFinding[]
  const document = parseSums(jsonOf(probeDocumentOf('', 1, found, []))) as ReturnType<typeof probeDocumentOf>
  const { balance, available, pending, held } = document.findings[0]!.histories[0]!.orders[0] as Record<string, unknown>
  assert.deepEqual([balance, available, pending, held], [step.balance, step.available, -7, 5])
})
