import assert from 'node:assert/strict'
import test from 'node:test'
import { accountOf } from '../../../../test/support/points.ts'
import { known, refused, spend } from '../../../../test/support/redemption-commands.ts'
import { WHOLE_MAX } from '../arithmetic.ts'
import { redeem } from './hold-or-redeem.ts'
import { type CommandRefusal, REDEEM_REFUSALS } from './redemptions.ts'

test('an account never goes below what the wire can carry (decision 20)', () => {
  const owing = { account: accountOf({ points: -WHOLE_MAX + 49n }) }
  assert.deepEqual(redeem(spend(), known([], owing)), refused({ kind: 'too-many-points' }))
  assert('done' in redeem(spend(), known([], { account: accountOf({ points: -WHOLE_MAX + 50n }) })))
})

test('every reason for a refusal is counted from the start', () => {
  const reasons: Record<CommandRefusal['kind'], true> = {
    ...{ 'not-enough': true, step: true, least: true, 'at-most': true, worth: true, when: true, 'no-redeem': true },
    ...{ hold: true, 'other-content': true, 'no-reward': true, 'no-redemption': true, 'too-many-points': true },
    ...{
      'more-than-held': true,
      'too-many-parts': true,
      'used-by-order': true,
      'is-voided': true,
      'is-confirmed': true,
    },
  }
  assert.deepEqual(REDEEM_REFUSALS.toSorted(), Object.keys(reasons).sort())
})
