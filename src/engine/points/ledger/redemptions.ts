/*
 * Redemptions without an order (decision 139): the commands, what they are decided on, why they are refused, and what they change. Pure.
 */
import type { Account, Entry, Redemption } from '../model.ts'
import { termsOfDebit } from '../pending-and-expiry.ts'
import type { PublishedProgram } from '../program-model.ts'
import type { OrderId, Points, UserId } from '../units.ts'
import { accountFitsWire, afterPosting } from './account.ts'
import type { BalanceView, RedeemRefusal } from './debits.ts'
import { lapsedHoldsBeside } from './holds.ts'
import type { LedgerChange } from './pending-ledger.ts'
import type { PlayerHistory } from './snapshot.ts'

/** A command. `redeem` names either `points` or a `reward`; `confirm` and `void` without points mean all. */
export type RedeemCommand = Readonly<
  | { act: 'redeem'; id: string; points?: Points; reward?: string; orderId?: OrderId; hold: boolean; reason: string }
  | { act: 'confirm'; id: string; points?: Points }
  | { act: 'void'; id: string; points?: Points; reason: string }
>

/** What a command is decided on. `published` is the version in effect now. */
export type RedeemKnown = Readonly<{
  userId: UserId
  account: Account
  history: PlayerHistory
  published: PublishedProgram
  programs: readonly PublishedProgram[]
  by: string
}> &
  BalanceView

/** Why a command is refused. */
export type CommandRefusal = Readonly<
  | RedeemRefusal
  | { kind: 'other-content' | 'no-reward' | 'no-redemption' | 'too-many-points' | 'more-than-held' | 'too-many-parts' }
  | RedemptionStateRefusal
>

/** Every reason, including those for orders. */
export const REDEEM_REFUSALS: readonly CommandRefusal['kind'][] = [
  'not-enough',
  'step',
  'least',
  'at-most',
  'worth',
  'when',
  'no-redeem',
  'hold',
  'other-content',
  'no-reward',
  'no-redemption',
  'too-many-points',
  'more-than-held',
  'too-many-parts',
  'used-by-order',
  'is-voided',
  'is-confirmed',
]

/** The state of the redemption does not allow the command. `free` is what could be redeemed now. */
type RedemptionStateRefusal = Readonly<
  ({ kind: 'used-by-order'; orderId: OrderId } | { kind: 'is-voided' | 'is-confirmed' }) & { free: Points }
>

export type RedeemVerdict = Readonly<
  { refused: CommandRefusal } | { done: 'changed' | 'unchanged'; redemption: Redemption; change: LedgerChange }
>

/** Parts of a redemption that can be voided one after the other; more are refused, as each is kept. */
export const VOIDED_PARTS_MAX = 100

/** The points that a redemption has had, newest first: what is left, and what there was before each part was voided. */
export function pointsSoFar({ points, voidedParts = [] }: Redemption): [Points, ...Points[]] {
  const before: [Points, ...Points[]] = [points]
  for (const part of voidedParts.toReversed()) before.push(before.at(-1)! + part.points)
  return before
}

/** Whether a hold has been neither confirmed, voided nor used. */
export function isOpenHold({ state }: Redemption): boolean {
  return state === 'held' || state === 'lapsed'
}

/** An entry that changes the balance by `points`, on the day of the redemption. */
export function redemptionEntry(
  { id, heldOn, reason }: Redemption,
  points: Points,
  context: RedeemKnown,
): Omit<Entry, 'seq'> {
  const { userId, now, today, published, by } = context
  const terms = termsOfDebit(published.program, heldOn)
  return {
    ...{ userId, kind: 'redemption', points, counts: false, at: now, day: heldOn, bookedDay: today },
    ...(terms === undefined ? {} : { terms }),
    redemption: { id, reason },
    by,
  }
}

/**
 * A redemption in its new state, and what is posted for it. The account is written even if nothing is posted, so that concurrent writes conflict. The
 * player's other lapsed holds are marked as permanently lapsed.
 */
export function changedRedemption(
  redemption: Redemption,
  entries: readonly Omit<Entry, 'seq'>[],
  { userId, account, history, now }: RedeemKnown,
): RedeemVerdict {
  const redemptions = [redemption, ...lapsedHoldsBeside(redemption.id, history, now)]
  const after = entries.reduce(afterPosting, account)
  if (!accountFitsWire(after)) return { refused: { kind: 'too-many-points' } }
  return {
    done: 'changed',
    redemption,
    change: {
      accounts: new Map([[userId, after]]),
      orders: new Map(),
      redemptions: new Map([[userId, new Map(redemptions.map((one) => [one.id, one]))]]),
      entries: entries.map((entry, index) => ({ ...entry, seq: account.entries + BigInt(index) + 1n })),
    },
  }
}

/** A redemption that a repeated command leaves as it is. */
export function unchangedRedemption(redemption: Redemption): RedeemVerdict {
  return { done: 'unchanged', redemption, change: { accounts: new Map(), orders: new Map(), entries: [] } }
}
