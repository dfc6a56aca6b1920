import assert from 'node:assert/strict'
import test from 'node:test'
import { masked, maskedId, maskedName } from './masking.ts'

test('an id is shown unless it looks like an e-mail address or a phone number (decision 67)', () => {
  for (const id of ['u-1', '42', '6940095564012', '1234567', 'shop@', 'A-100', '12345678901234', '5123456789'])
    assert.equal(maskedId(id), id)
  for (const [id, shown] of [
    ['asha@example.com', 'a•••'],
    ['+491701234567', '+•••'],
    ['01701234567', '0•••'],
    ['9847054321', '9•••'],
  ] as const)
    assert.equal(maskedId(id), shown)
})

test('a name keeps the first letter of each word, other texts keep nothing, and an empty text stays empty', () => {
  assert.deepEqual(['Asha  Rao', 'Ñandú', '𝒜sha', ''].map(maskedName), ['A•••  R•••', 'Ñ•••', '𝒜•••', ''])
  assert.deepEqual(['Kochi', ''].map(masked), ['•••', ''])
})
