import assert from 'node:assert/strict'
import test from 'node:test'
import { readPlayerSearch } from './player.ts'

test('a search has every field, empty where nothing is sought, and a phone number as it is stored', () => {
  const nothing = { userId: '', email: '', phone: '', referralCode: '' }
  assert.deepEqual(readPlayerSearch({ user_id: 'u-1' }), { ...nothing, userId: 'u-1' })
  assert.deepEqual(readPlayerSearch({ phone: '+49 (170) 123-45.67' }), { ...nothing, phone: '491701234567' })
  assert.deepEqual(readPlayerSearch({ email: 'a@b.c', refer_code: 'RAVI' }), {
    ...nothing,
    email: 'a@b.c',
    referralCode: 'RAVI',
  })
  for (const empty of [{}, { user_id: '', phone: '' }])
    assert.throws(() => readPlayerSearch(empty), /expected at least one of user_id, email, phone, refer_code/)
})
