import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createDiskSort } from './disk-sort.ts'
import type { ImportRecord } from './import-record.ts'
import { oldestFirst, withoutUpdateTime } from './oldest-first.ts'

async function* from(records: readonly ImportRecord[]) {
  yield* records
}

async function sorted(records: readonly object[]) {
  const out: ImportRecord[] = []
  let count = -1
  const states = records.map((record, index): ImportRecord => ({ line: index + 1, record, issues: [] }))
  const onSorted = async (all: number) => {
    count = all
  }
  const hints = { restart: 'the hint', return: 'of returns' }
  for await (const one of oldestFirst(from(states), onSorted, hints, createDiskSort)) out.push(one)
  assert.equal(count, records.length)
  return out
}

const orderOn = (id: string, day: number, more: object = {}) => ({
  order_id: id,
  ordered_at: `2026-05-${String(day).padStart(2, '0')}T10:00:00+02:00`,
  ...more,
})

test('orders come oldest first by their moments in UTC, and by id where those are equal; one without a moment is the last (decision 123)', async () => {
  const records = await sorted([
    { order_id: 'now' },
    orderOn('b', 3),
    orderOn('a', 3),
    { order_id: 'late', ordered_at: '2026-05-03T08:00:00.001Z' },
    orderOn('c', 1),
    { order_id: 'early', ordered_at: '2026-05-01T07:59:59Z' },
  ])
  assert.deepEqual(
    records.map(({ record }) => (record as { order_id: string }).order_id),
    ['early', 'c', 'a', 'b', 'late', 'now'],
  )
})

test('the states of an order come by their version, else by the time of the update, which is kept but not sent', async () => {
  const byVersion = await sorted([orderOn('a', 1, { state_version: 10 }), orderOn('a', 9, { state_version: '9' })])
  assert.deepEqual(
    byVersion.map(({ line, issues }) => [line, issues.length]),
    [
      [2, 0],
      [1, 0],
    ],
  )
  const updated = (total: number, at: string) => orderOn('a', 1, { total_amount: total, updated_at: at })
  const byTime = await sorted([updated(1, '2026-05-02T00:00:00Z'), updated(2, '2026-05-02T01:00:00+02:00')])
  assert.deepEqual(
    byTime.map(({ record }) => withoutUpdateTime(record)),
    [orderOn('a', 1, { total_amount: 2 }), orderOn('a', 1, { total_amount: 1 })],
  )
})

test('an order whose states differ is refused and named where neither says which is the latest; equal ones are not', async () => {
  const states = [orderOn('a', 1), orderOn('a', 1, { status: 'cancelled' })]
  const [first, second] = await sorted([...states, orderOn('b', 2), orderOn('b', 2)])
  for (const one of [first!, second!]) {
    assert.equal(one.issues[0]!.field, 'order_id')
    assert.match(one.issues[0]!.error, /which one is the latest, in lines 1 and 2$/)
  }
  const twins = await sorted([orderOn('b', 2), orderOn('b', 2)])
  assert.deepEqual(
    twins.map(({ issues }) => issues),
    [[], []],
  )
  const sameTime = states.map((one) => ({ ...one, updated_at: '2026-05-02T00:00:00Z' }))
  assert.equal((await sorted(sameTime))[0]!.issues.length, 1)
})

test('whatever the order of the file, what is sent is the same', async () => {
  const order = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', ''), day: fc.integer({ min: 1, max: 3 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(order, { maxLength: 12 }), fc.array(fc.nat()), async (orders, keys) => {
      const records = orders.map(({ id, day }, index) => orderOn(id, day, { state_version: index }))
      const shuffled = records
        .map((record, index) => ({ record, key: keys[index] ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ record }) => record)
      const sentOf = async (given: readonly object[]) =>
        (await sorted(given))
          .map(({ record }) => JSON.stringify(record))
          .filter((text) => !text.includes('"order_id":""'))
      assert.deepEqual(await sentOf(shuffled), await sentOf(records))
    }),
    { numRuns: 60 },
  )
})
