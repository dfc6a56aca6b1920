import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createTimeline } from './timeline.ts'

const moment = fc.nat(6).map((day) => `2026-06-0${day + 1}T12:00:00.000Z`)
const points = fc.bigInt({ min: -9n, max: 9n })
const range = fc.record({
  after: fc.option(moment, { nil: undefined }),
  upTo: fc.option(moment, { nil: undefined }),
})
const steps = fc.array(fc.oneof(fc.record({ at: moment, points }), range), { maxLength: 40 })

test('a range excludes its start and includes its end, whatever the order in which points are added and sums are asked for', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      const timeline = createTimeline()
      const added: { at: string; points: bigint }[] = []
      for (const step of steps) {
        if ('at' in step) {
          timeline.add(step.at, step.points)
          added.push(step)
          continue
        }
        const { after, upTo } = step
        if (after !== undefined && upTo !== undefined && after > upTo) continue
        const inside = added.filter(
          ({ at }) => (after === undefined || after < at) && (upTo === undefined || at <= upTo),
        )
        assert.equal(
          timeline.sum(after, upTo),
          inside.reduce((sum, one) => sum + one.points, 0n),
        )
      }
    }),
    { numRuns: 1_000 },
  )
})
