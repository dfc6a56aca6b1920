/*
 * Valid inputs of the points engine; a test sets only what matters to it.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { EMPTY_ACCOUNT } from '../../src/engine/points/ledger/account.ts'
import type { Profile, Snapshot } from '../../src/engine/points/ledger/snapshot.ts'
import { debitOn, type Movement } from '../../src/engine/points/lots/movement.ts'
import {
  type Account,
  type Order,
  type RecordedOrder,
  type Redemption,
  UNKNOWN_PLAYER,
} from '../../src/engine/points/model.ts'
import { readProgram } from '../../src/engine/points/program.ts'
import type { Program, PublishedProgram } from '../../src/engine/points/program-model.ts'

export const NOON = '2026-06-01T12:00:00.000Z'
export const PROFILE: Profile = { region: '', district: '', country: '', gender: '' }

/** An order of 100, placed by Asha. */
export const orderOf = (parts: Partial<Order> = {}): Order => ({
  id: 'o-1',
  userId: 'asha',
  lines: [],
  total: 1_000_000n,
  discount: 0n,
  referralCode: '',
  subscriptPoints: false,
  status: 'placed',
  at: NOON,
  ...parts,
})

/** A program that gives one point for every 1 of the amount. */
export function programOf(parts: object = {}): Program {
  const read = readProgram({
    name: 'Test',
    rounding: 'floor',
    levels: {
      counts: 'lifetime',
      ladder: [
        { name: 'Bronze', from: 0 },
        { name: 'Silver', from: 150 },
      ],
    },
    earn: [{ name: 'base', 'per-amount': { points: 1, every: 1 } }],
    ...parts,
  })
  assert('program' in read, 'issues' in read ? JSON.stringify(read.issues) : '')
  return read.program
}

export const published = (parts: object = {}, version = 1, from = '-infinity'): PublishedProgram => ({
  version,
  from,
  program: programOf(parts),
})

/** A snapshot of the store: Asha and Ben are players, nothing is recorded, and no histories have been read. */
export const snapshotOf = (parts: Partial<Snapshot> = {}): Snapshot => ({
  profiles: new Map([
    ['asha', PROFILE],
    ['ben', PROFILE],
  ]),
  accounts: new Map(),
  orders: new Map(),
  catalogue: new Map(),
  codes: new Map(),
  levelPointsIn: () => undefined,
  history: () => undefined,
  ...parts,
})

/** Answers this query alone, as a snapshot that has read nothing else. */
export const responseTo =
  <Query, ServiceResponse>(query: Query, response: ServiceResponse) =>
  (asked: Query): ServiceResponse | undefined =>
    isDeepStrictEqual(asked, query) ? response : undefined

export const accountOf = (parts: Partial<Account> = {}): Account => ({ ...EMPTY_ACCOUNT, ...parts })

/** The first recording of an order that gave 100 points. */
export const recordedOf = (parts: Partial<RecordedOrder> = {}): RecordedOrder => ({
  order: orderOf(),
  facts: { program: 1, player: UNKNOWN_PLAYER, prices: new Map(), codes: new Map() },
  points: 100n,
  rev: 1n,
  recordedAt: NOON,
  ...parts,
})

/** Points given on a day: usable at once, without expiry. */
export const creditOn = (day: string, given: bigint, parts: Partial<Movement> = {}): Movement => ({
  ...debitOn(day, 0n),
  given,
  ...parts,
})

/** 50 points of Asha's, held at noon for a quarter of an hour. */
export const heldOf = (parts: Partial<Redemption> = {}): Redemption => ({
  userId: 'asha',
  id: 'r-1',
  state: 'held',
  points: 50n,
  program: 1,
  heldOn: '2026-06-01',
  heldUntil: '2026-06-01T12:15:00.000Z',
  rev: 2n,
  by: 't-0',
  reason: 'checkout',
  createdAt: NOON,
  ...parts,
})

/** A redemption that no longer holds anything: 50 points in this state. */
export function redemptionIn(state: Redemption['state'], parts: Partial<Redemption> = {}): Redemption {
  const { heldUntil, ...redemption } = heldOf({ state, ...parts })
  return redemption
}
