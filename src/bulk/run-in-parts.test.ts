import assert from 'node:assert/strict'
import test from 'node:test'
import { runInParts } from './run-in-parts.ts'

test('between the parts of a work that takes long, others get their turn', async () => {
  function* busy() {
    for (let part = 0; part < 10; part += 1) {
      const endsAt = performance.now() + 3
      while (performance.now() < endsAt);
      yield
    }
    return 'done'
  }
  let turns = 0
  const turn = () => {
    turns += 1
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  assert.equal(await runInParts(busy()), 'done')
  clearImmediate(next)
  assert(turns >= 9, `${turns} turns`)
})
