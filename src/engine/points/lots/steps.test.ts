import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { debit, expiryAssignments, history, lot, on } from '../../../../test/support/movements.ts'
import { readPeriod } from '../calendar.ts'
import { stepsByDay } from './steps.ts'

const ORDER_OF_A_DAY = ['lot', 'expiry-assignment', 'activity', 'debit']

test('on one day points become usable, then are assigned an expiry, then are kept alive, then are spent, in whatever order all of it arrived', () => {
  const movements = [debit(30, 5), lot(0, 5, 15, { slides: true }), lot(100, 5, 20), lot(50, 5, 10), lot(7, 3)]
  const ends = [{ on: on(5), expiry: { after: readPeriod('P10D'), atEndOf: 'day' as const, slides: false } }]
  for (const arrived of [movements, movements.toReversed()]) {
    const steps = stepsByDay(arrived, ends)
    assert.deepEqual(
      steps.map(({ day, kind }) => `${day} ${kind}`),
      [
        `${on(3)} lot`,
        `${on(5)} lot`,
        `${on(5)} lot`,
        `${on(5)} expiry-assignment`,
        `${on(5)} activity`,
        `${on(5)} debit`,
      ],
    )
    // Of two lots of a day, the one that expires first repays what is owed.
    assert.deepEqual(
      steps.flatMap((step) => (step.kind === 'lot' ? [Number(step.points)] : [])),
      [7, 50, 100],
    )
  }
})

test('steps come by day, and within a day by kind, for every history', () => {
  fc.assert(
    fc.property(history, expiryAssignments, (movements, ends) => {
      const steps = stepsByDay(movements, ends)
      for (const [index, step] of steps.entries()) {
        const before = steps[index - 1]
        if (before === undefined) continue
        assert.ok(before.day <= step.day)
        if (before.day === step.day)
          assert.ok(ORDER_OF_A_DAY.indexOf(before.kind) <= ORDER_OF_A_DAY.indexOf(step.kind), `${step.kind} is late`)
      }
    }),
  )
})

test('what is given and taken back under the same terms is one lot, and what is spent on a day one debit; none of them is of 0 points', () => {
  const back = { ...lot(0, 2, 9), given: -40n }
  const refund = { ...debit(0, 4), spent: -30n }
  assert.deepEqual(
    stepsByDay([lot(100, 2, 9), debit(30, 4), back, debit(5, 4)], []).map((step) =>
      'points' in step ? step.points : 0n,
    ),
    [60n, 35n],
  )
  assert.deepEqual(stepsByDay([lot(40, 2, 9), back, debit(30, 4), refund], []), [])
})
