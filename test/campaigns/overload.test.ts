import assert from 'node:assert/strict'
import test from 'node:test'
import { runOverloadCampaign } from './overload.ts'

for (const database of ['embedded', 'postgres'] as const) {
  test(`under overload every prediction is either answered or refused with Retry-After (${database})`, async (t) => {
    const rows = await runOverloadCampaign({
      database,
      seconds: 0.5,
      multiples: [10],
      startPerSecond: 1_500,
      connections: 1_500,
      timeoutMs: 100,
      say: (line) => t.diagnostic(line),
    })
    assert(
      rows.at(-1)!.offered.responses.some(({ status }) => status === 503),
      'the service was not overloaded',
    )
    for (const { offered } of rows) {
      assert.equal(offered.lost, 0)
      for (const { status, retryAfter } of offered.responses) {
        assert.ok(status === 200 || status === 503, `a prediction got ${status}`)
        if (status === 503) assert.match(retryAfter ?? '', /^[1-9]\d*$/)
      }
    }
  })
}
