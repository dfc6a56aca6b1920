import assert from 'node:assert/strict'
import test from 'node:test'
import { historyKey, windowKey } from './snapshot.ts'

test('two window questions have one key only if they ask the same', () => {
  const query = { userId: 'asha', orderId: 'o-1', from: '2025', to: '2026' }
  assert.equal(windowKey(query), windowKey({ ...query }))
  const others = [
    { ...query, userId: 'ben' },
    { ...query, orderId: 'o-2' },
    { ...query, from: '2024' },
    { ...query, to: '2027' },
    { ...query, userId: 'o-1', orderId: 'asha' },
    { ...query, from: '2026', to: '2025' },
    // Ids may hold any character.
    { ...query, userId: 'asha","o-1', orderId: '' },
    { ...query, userId: '', orderId: 'asha","o-1' },
  ]
  assert.equal(new Set([query, ...others].map(windowKey)).size, 9)
})

test('two history questions have one key only if they ask the same', () => {
  const query = { userId: 'asha', orderId: 'o-1', redemptionId: 'r-1' }
  assert.equal(historyKey(query), historyKey({ ...query }))
  const others = [
    { ...query, userId: 'ben' },
    { ...query, orderId: 'r-1', redemptionId: 'o-1' },
    { ...query, userId: 'asha","o-1', orderId: '' },
    { ...query, userId: '', orderId: 'asha","o-1' },
  ]
  assert.equal(new Set([query, ...others].map(historyKey)).size, 5)
})
