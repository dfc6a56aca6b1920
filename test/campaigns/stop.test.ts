import test from 'node:test'
import { runStopCampaign } from './stop.ts'

for (const database of ['embedded', 'postgres'] as const) {
  test(`no request is lost when the service stops under load (${database}; decision 113)`, async (t) => {
    await runStopCampaign({ database, rounds: 1, delayMs: 1_000, say: (line) => t.diagnostic(line) })
  })
}

test('clients that do not stay away from a stopping service lose at most one request in 10,000 (decision 113)', async (t) => {
  await runStopCampaign({
    database: 'embedded',
    rounds: 1,
    delayMs: 1_000,
    stay: true,
    say: (line) => t.diagnostic(line),
  })
})
