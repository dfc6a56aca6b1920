import assert from 'node:assert/strict'
import test from 'node:test'
import { runHostileCampaign } from './hostile.ts'

test('no hostile request gets a 500, crashes the service, or keeps others from being answered (decision 4)', async (t) => {
  const statuses = await runHostileCampaign({ requests: 2_000, seed: 1, say: (line) => t.diagnostic(line) })
  assert(statuses['200']! > 0 && statuses['400']! > 0, JSON.stringify(statuses))
})
