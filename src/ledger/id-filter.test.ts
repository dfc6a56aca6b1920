import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createIdFilter } from './id-filter.ts'

test('every id that was added is found, also once the filter has grown', () => {
  const filter = createIdFilter()
  const ids = Array.from({ length: 300_000 }, (_, index) => `order-${index}`)
  for (const id of ids) filter.add(id)
  assert(ids.every((id) => filter.mayHave(id)))
  const others = Array.from({ length: 100_000 }, (_, index) => `order-${index + 300_000}`)
  const taken = others.filter((id) => filter.mayHave(id)).length
  assert(taken < 500, `${taken} of ${others.length} other ids are taken for one that was added`)
})

test('every id of any text is found', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (ids) => {
      const filter = createIdFilter()
      for (const id of ids) filter.add(id)
      return ids.every((id) => filter.mayHave(id))
    }),
  )
})
