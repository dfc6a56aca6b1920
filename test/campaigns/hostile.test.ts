import assert from 'node:assert/strict'
import test from 'node:test'
import { runHostileCampaign } from './hostile.ts'

test('no hostile request is answered with 500, ends the service, or keeps others from their answers (decision 10)', async (t) => {
  const statuses = await runHostileCampaign({ requests: 2_000, seed: 1, say: (line) => t.diagnostic(line) })
  assert(statuses['200']! > 0 && statuses['400']! > 0, JSON.stringify(statuses))
})
