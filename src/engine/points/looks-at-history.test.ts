import assert from 'node:assert/strict'
import test from 'node:test'
import { programOf } from '../../../test/support/points.ts'
import { looksAtHistory } from './looks-at-history.ts'

const LADDER = [
  { name: 'Bronze', from: 0 },
  { name: 'Silver', from: 150 },
]
const BASE = { name: 'base', 'per-amount': { points: 1, every: 1 } }
const earning = (when: string) => ({ earn: [BASE, { name: 'bonus', when, fixed: { points: 5 } }] })

const LOOKING: Readonly<Record<string, object>> = {
  'a level of the last months': { levels: { counts: { window: 'P12M' }, ladder: LADDER } },
  'a referral': { referral: { friend: 5, referrer: 7 } },
  'a condition on the balance': earning('player.points >= 100'),
  'a condition on the level': earning("player.level == 'Silver'"),
  'a condition on the points of the level': earning('player.earned >= 100'),
  'a condition on the number of orders': earning('player.orders == 0'),
  'a condition of redemptions': { redeem: { value: { points: 1, pays: '0.10' }, step: 10, when: 'player.orders > 2' } },
}

const BLIND: Readonly<Record<string, object>> = {
  'a rule without a condition': {},
  'a condition on the order': earning('order.total > 100'),
  'a condition on what is known of the player': earning("player.country == 'IN'"),
}

for (const [what, parts] of Object.entries(LOOKING))
  test(`a program looks at history with ${what} (decision 123)`, () => {
    assert.equal(looksAtHistory(programOf(parts)), true)
  })

for (const [what, parts] of Object.entries(BLIND))
  test(`a program does not look at history with ${what} (decision 123)`, () => {
    assert.equal(looksAtHistory(programOf(parts)), false)
  })
