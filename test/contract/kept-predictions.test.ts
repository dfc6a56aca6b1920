import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, openTestApp, send } from '../support/test-app.ts'

const START_MS = Date.UTC(2026, 5, 1, 12)
const createClock = () => {
  const clock = { ms: START_MS, now: () => new Date(clock.ms) }
  return clock
}

forEachService((openTestApp) => {
  test('a prediction is kept with its token, its answer and digests, and without contact data', async (t) => {
    const clock = createClock()
    const app = await openTestApp(t, { now: clock.now })
    await app.upsertPlayers([aPlayer({ Name: 'CANARY', Email: 'canary@example.com', Phone: '0999999999' })])
    await app.upsertProducts([aProduct()])
    const contact = { name: 'CANARY', email: 'canary@example.com', phone: '0999999999', address: 'CANARY' }
    await app.predict(anOrder({ ...contact, total_amount: 5_000 }))
    await app.predict(anOrder({ ...contact, total_amount: 'x' }))
    clock.ms += 1_000
    await app.service.deps.predictions.flush()
    const rows = await app.query('select to_jsonb(predictions) as kept from predictions')
    assert.equal(rows.length, 1, 'a refused prediction is not kept')
    const { prediction_id, duration_us, order_digest, player_digest, prices_digest, token_id, ...kept } = rows[0]!
      .kept as Record<string, unknown>
    assert.deepEqual(kept, {
      user_id: 'u-1',
      order_id: 'o-1',
      predicted_at: '2026-06-01T12:00:00+00:00',
      points: 500,
      referred: false,
      level_before: 'Bronze',
      level_after: 'Silver',
      program_version: 1,
      kept: 1,
      seen: 1,
      ordered_at: '2026-06-01T12:00:00+00:00',
    })
    assert.ok(app.service.ownToken.includes(String(token_id)) && String(token_id).length === 12)
    assert.ok(Number(duration_us) > 0)
    for (const digest of [order_digest, player_digest, prices_digest]) assert.match(String(digest), /^\\x[0-9a-f]{16}$/)
    assert.match(String(prediction_id), /^[0-9a-f-]{36}$/)
    assert.doesNotMatch(JSON.stringify(rows), /canary|0999999999/i)
  })

  test('predictions that cannot be kept are answered all the same, and the loss is reported', async (t) => {
    const clock = createClock()
    const app = await openTestApp(t, { now: clock.now })
    await app.service.db.transaction((tx) => tx.script('drop table predictions'), performance.now() + 5_000)
    for (let second = 0; second < 3; second += 1) {
      const { status, body } = await app.predict(anOrder())
      assert.deepEqual([status, body.total_points], [200, 120])
      clock.ms += 1_000
      await app.service.deps.predictions.flush().catch(() => undefined) // The service's own timer may have been first.
    }
    assert.equal((await app.predict(anOrder())).status, 200)
    const metrics = await send(app.url, 'GET', '/metrics', undefined, {})
    assert.match(metrics.text, /^laurel_predictions_total\{fate="dropped"\} 3$/m)
    assert.match(metrics.text, /^laurel_request_failures_total 0$/m)
  })

  test('metrics count predictions kept and their outcomes, and old predictions are deleted', async (t) => {
    const clock = createClock()
    const app = await openTestApp(t, { now: clock.now, env: { PREDICTIONS_RETENTION_DAYS: '30' } })
    const { predictions } = app.service.deps
    for (const order_id of ['o-1', 'o-2']) await app.predict(anOrder({ order_id }))
    clock.ms += 1_000
    const recorded = {
      userId: 'u-1',
      rev: 1n,
      points: 120n,
      levelAfter: 'Bronze',
      referred: false,
      program: 1,
      at: clock.now().toISOString(),
      levelPoints: 0n,
      recordedAt: clock.now().toISOString(),
    }
    predictions.compare([
      { ...recorded, orderId: 'o-1' },
      { ...recorded, orderId: 'o-2', points: 60n },
      { ...recorded, orderId: 'o-3' },
    ])
    clock.ms += 10_000
    await predictions.flush()
    const { text } = await send(app.url, 'GET', '/metrics', undefined, {})
    for (const line of [
      'laurel_predictions_total{fate="kept"} 2',
      'laurel_predictions_compared_total{outcome="came-true"} 1',
      'laurel_predictions_compared_total{outcome="differed"} 1',
      'laurel_predictions_compared_total{outcome="none-kept"} 1',
      'laurel_promises_total{outcome="came-true"} 1',
      'laurel_predictions_differed_total{reasons="not-known"} 1',
    ])
      assert.ok(text.includes(`\n${line}\n`), line)
    clock.ms = START_MS + 30 * 86_400_000
    await predictions.sweep()
    assert.deepEqual(await app.query('select count(*) as rows from predictions'), [{ rows: 2 }])
    clock.ms += 1
    await predictions.sweep()
    assert.deepEqual(await app.query('select count(*) as rows from predictions'), [{ rows: 0 }])
  })
})

test('a stopping service keeps the predictions that it has just answered', async (t) => {
  const app = await openTestApp(t)
  await app.predict(anOrder())
  await app.service.close()
  assert.deepEqual(await app.query('select order_id from predictions'), [{ order_id: 'o-1' }])
})
