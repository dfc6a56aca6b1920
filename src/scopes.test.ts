import assert from 'node:assert/strict'
import test from 'node:test'
import { ROLES, type Role, roleOf, withIncluded } from './scopes.ts'

test('a role is recognised by exactly its scopes, including those that they imply (decision 67)', () => {
  for (const role of Object.keys(ROLES) as Role[]) assert.equal(roleOf(withIncluded(ROLES[role])), role)
  assert.equal(roleOf(withIncluded(['read', 'support', 'redeem', 'account'])), 'support')
  for (const scopes of [['predict'], ['read', 'predict'], ['support'], ['program']] as const)
    assert.equal(roleOf(withIncluded(scopes)), undefined, scopes.join())
})
