import assert from 'node:assert/strict'
import test from 'node:test'
import { accountOf, orderOf, PROFILE, published, recordedOf, snapshotOf } from '../../../../test/support/points.ts'
import { type EvaluationInputs, type Line, type Order, UNKNOWN_PLAYER } from '../model.ts'
import { factsFor, referralCase } from './facts.ts'
import type { Snapshot } from './snapshot.ts'
import { createWorkingLedger } from './working-ledger.ts'

const line = (sku?: string): Line => ({ ...(sku === undefined ? {} : { sku }), qty: 10_000n })
const factsOf = (order: Partial<Order>, snapshot: Partial<Snapshot> = {}, recorded?: EvaluationInputs) =>
  factsFor(
    orderOf(order),
    recorded === undefined ? undefined : recordedOf({ facts: recorded }),
    published({}, 3),
    { balance: snapshot.accounts?.get('asha')?.points ?? 0n, levelPoints: 40n },
    createWorkingLedger(snapshotOf(snapshot)),
  )

test('a first recording takes the program, and the player as they are now', () => {
  const profile = { ...PROFILE, region: 'Kerala', dateOfBirth: '1990-01-31' }
  const { program, player } = factsOf(
    {},
    {
      profiles: new Map([['asha', profile]]),
      accounts: new Map([['asha', accountOf({ points: 70n, levelPoints: 60n, orders: 2n, entries: 9n })]]),
    },
  )
  assert.equal(program, 3)
  // The level points are those at the order's moment, which the account does not know.
  assert.deepEqual(player, { ...profile, known: true, points: 70n, levelPoints: 40n, orders: 2n })
})

test('a player that was never sent is unknown, whatever their account holds (decision 23)', () => {
  const accounts = new Map([['asha', accountOf({ points: 70n })]])
  assert.equal(factsOf({}, { profiles: new Map(), accounts }).player, UNKNOWN_PLAYER)
})

test('whether the player, and the referrer, participate is a fact of the first recording', () => {
  const left = { profiles: new Map([['asha', { ...PROFILE, participates: false } as const]]) }
  const codes = new Map([['BEN', [{ referrerId: 'ben', participates: false } as const]]])
  const first = factsOf({ referralCode: 'BEN' }, { ...left, codes })
  assert.equal(first.player.participates, false)
  assert.deepEqual(first.codes.get('BEN'), { referrerId: 'ben', participates: false })
  const back = { codes: new Map([['BEN', [{ referrerId: 'ben' }]]]) }
  assert.deepEqual(factsOf({ referralCode: 'BEN' }, back, first), first)
})

test('the prices of all products are recorded, including unknown ones; a line without a product has none', () => {
  const { prices } = factsOf(
    { lines: [line('tea'), line(), line('pot'), line('tea')] },
    {
      catalogue: new Map([
        ['tea', 45_000n],
        ['cup', 1n],
      ]),
    },
  )
  assert.deepEqual(
    prices,
    new Map([
      ['tea', 45_000n],
      ['pot', undefined],
    ]),
  )
})

test('a code belongs to the one other player who has it', () => {
  const codes = new Map([
    ['OWN', [{ referrerId: 'asha' }]],
    ['BEN', [{ referrerId: 'ben' }]],
    ['BOTH', [{ referrerId: 'asha' }, { referrerId: 'ben' }]],
    ['MANY', [{ referrerId: 'ben' }, { referrerId: 'cleo' }]],
    ['ALL', [{ referrerId: 'cleo' }, { referrerId: 'asha' }, { referrerId: 'ben' }]],
  ])
  const cases = [
    ['BEN', { referrerId: 'ben' }],
    ['BOTH', { referrerId: 'ben' }],
    ['OWN', { why: 'unknown' }],
    ['NOBODY', { why: 'unknown' }],
    ['MANY', { why: 'shared' }],
    ['ALL', { why: 'shared' }],
  ] as const
  for (const [referralCode, owner] of cases)
    assert.deepEqual(factsOf({ referralCode }, { codes }).codes, new Map([[referralCode, owner]]), referralCode)
  assert.deepEqual(factsOf({ referralCode: '' }, { codes }).codes, new Map())
})

test('a later revision keeps all facts of the first, and adds what it brings in', () => {
  const first: EvaluationInputs = {
    program: 1,
    player: { ...UNKNOWN_PLAYER, known: true, points: 5n },
    prices: new Map([
      ['tea', 45_000n],
      ['pot', undefined],
    ]),
    codes: new Map([['BEN', { referrerId: 'ben' }]]),
  }
  const now: Partial<Snapshot> = {
    catalogue: new Map([
      ['tea', 99_000n],
      ['pot', 99_000n],
      ['cup', 20_000n],
    ]),
    codes: new Map([
      ['BEN', [{ referrerId: 'cleo' }]],
      ['DORA', [{ referrerId: 'dora' }]],
    ]),
  }
  const same = factsOf({ lines: [line('tea'), line('pot'), line()], referralCode: 'BEN' }, now, first)
  assert.deepEqual(same, first)
  // Nothing is copied where nothing is new: an order may have a thousand lines.
  assert(same.prices === first.prices && same.codes === first.codes)
  const more = factsOf({ lines: [line('tea'), line('pot'), line('cup')], referralCode: 'DORA' }, now, first)
  assert.deepEqual(more, {
    ...first,
    prices: new Map([...first.prices, ['cup', 20_000n]]),
    codes: new Map([...first.codes, ['DORA', { referrerId: 'dora' }]]),
  })
  assert.deepEqual([...first.prices.keys(), ...first.codes.keys()], ['tea', 'pot', 'BEN'])
})

test('a referral counts on the first placed order only, with the owner of its code as recorded in the facts', () => {
  const facts: EvaluationInputs = {
    program: 1,
    player: UNKNOWN_PLAYER,
    prices: new Map(),
    codes: new Map([
      ['BEN', { referrerId: 'ben' }],
      ['MANY', { why: 'shared' }],
    ]),
  }
  const caseOf = (referralCode: string, firstOrderId?: string) =>
    referralCase(orderOf({ referralCode }), facts, firstOrderId)
  assert.deepEqual(caseOf(''), { why: 'no-code' })
  assert.deepEqual(caseOf('', 'o-0'), { why: 'no-code' })
  assert.deepEqual(caseOf('BEN'), { referrerId: 'ben' })
  assert.deepEqual(caseOf('BEN', 'o-1'), { referrerId: 'ben' })
  assert.deepEqual(caseOf('BEN', 'o-0'), { why: 'not-first' })
  assert.deepEqual(caseOf('MANY'), { why: 'shared' })
})
