/*
 * Commands of redemptions without an order, what they are decided on, and the verdicts that they get.
 */

import type { CommandRefusal, RedeemCommand, RedeemKnown } from '../../src/engine/points/ledger/redemptions.ts'
import type { Movement } from '../../src/engine/points/lots/movement.ts'
import type { Entry, Redemption } from '../../src/engine/points/model.ts'
import { accountOf, creditOn, NOON, published, redemptionIn } from './points.ts'

export const [MAY, YESTERDAY, TODAY] = ['2026-05-01', '2026-05-31', '2026-06-01']
export const rules = {
  value: { points: 1, pays: 1 },
  step: 10,
  least: 20,
  'at-most': { points: 30 },
  when: 'false',
  rewards: [
    { name: 'pot', points: 300 },
    { name: 'cup', points: 15 },
  ],
}
export const programWith = (parts: object) => published({ redeem: { ...rules, ...parts } }, 3)
export const account = accountOf({ points: 100n, levelPoints: 80n, orders: 2n, entries: 4n, rev: 9n })

/** Asha has 100 points that never expire, and these redemptions. */
export const known = (redemptions: readonly Redemption[] = [], parts: Partial<RedeemKnown> = {}): RedeemKnown => ({
  userId: 'asha',
  account,
  history: { movements: [creditOn(MAY, 100n)], own: [], reinstated: 0n, redemptions },
  published: programWith({}),
  programs: [published({ redeem: { ...rules, step: 25 } }, 1), programWith({})],
  by: 't-1',
  now: NOON,
  today: TODAY,
  expiryAssignments: [],
  ...parts,
})
export const withMovements = (movements: readonly Movement[], redemptions: readonly Redemption[] = []) => ({
  history: { movements, own: [], reinstated: 0n, redemptions },
})
export const spend = (parts: object = {}) =>
  ({ act: 'redeem', id: 'r-1', points: 50n, hold: false, reason: 'checkout', ...parts }) as RedeemCommand
export const hold = (parts: object = {}) => spend({ hold: true, ...parts })
export const reward = (name: string, parts: object = {}) => spend({ points: undefined, reward: name, ...parts })
export const confirm = (points?: bigint): RedeemCommand => ({
  act: 'confirm',
  id: 'r-1',
  ...(points === undefined ? {} : { points }),
})
export const voiding: RedeemCommand = { act: 'void', id: 'r-1', reason: 'goods came back' }
export const afterLapse = { now: '2026-06-01T12:15:00.000Z' }

export const entryOf = (points: bigint, parts: Partial<Entry> = {}): Entry => ({
  ...{ userId: 'asha', seq: 5n, kind: 'redemption', points, counts: false, at: NOON, day: TODAY, bookedDay: TODAY },
  redemption: { id: 'r-1', reason: 'checkout' },
  by: 't-1',
  ...parts,
})
/** What is written: the redemptions, the subject of the command first, and the entries. */
export const changed = (redemptions: readonly [Redemption, ...Redemption[]], entries: readonly Entry[] = []) => ({
  done: 'changed',
  redemption: redemptions[0],
  change: {
    accounts: new Map([
      [
        'asha',
        {
          ...account,
          points: entries.reduce((sum, { points }) => sum + points, 100n),
          entries: 4n + BigInt(entries.length),
        },
      ],
    ]),
    orders: new Map(),
    redemptions: new Map([['asha', new Map(redemptions.map((one) => [one.id, one]))]]),
    entries,
  },
})
export const unchanged = (redemption: Redemption) => ({
  done: 'unchanged',
  redemption,
  change: { accounts: new Map(), orders: new Map(), entries: [] },
})
export const refused = (refusal: CommandRefusal) => ({ refused: refusal })
export const short = (most: bigint, available = 100n, held = 0n) =>
  refused({ kind: 'not-enough', most, available, held })
/** A redemption as these commands create it: under version 3, by t-1. */
export const made = { program: 3, rev: 0n, by: 't-1' }
export const spent = redemptionIn('confirmed')
