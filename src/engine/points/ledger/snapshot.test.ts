import assert from 'node:assert/strict'
import test from 'node:test'
import { historyKey, windowKey } from './snapshot.ts'

test('two window questions have one key only if they ask the same', () => {
  const question = { userId: 'asha', orderId: 'o-1', from: '2025', to: '2026' }
  assert.equal(windowKey(question), windowKey({ ...question }))
  const others = [
    { ...question, userId: 'ben' },
    { ...question, orderId: 'o-2' },
    { ...question, from: '2024' },
    { ...question, to: '2027' },
    { ...question, userId: 'o-1', orderId: 'asha' },
    { ...question, from: '2026', to: '2025' },
    // Ids may hold any character.
    { ...question, userId: 'asha","o-1', orderId: '' },
    { ...question, userId: '', orderId: 'asha","o-1' },
  ]
  assert.equal(new Set([question, ...others].map(windowKey)).size, 9)
})

test('two history questions have one key only if they ask the same', () => {
  const question = { userId: 'asha', orderId: 'o-1', redemptionId: 'r-1' }
  assert.equal(historyKey(question), historyKey({ ...question }))
  const others = [
    { ...question, userId: 'ben' },
    { ...question, orderId: 'r-1', redemptionId: 'o-1' },
    { ...question, userId: 'asha","o-1', orderId: '' },
    { ...question, userId: '', orderId: 'asha","o-1' },
  ]
  assert.equal(new Set([question, ...others].map(historyKey)).size, 5)
})
