/*
 * Points that are held until a moment, under an id chosen by the client (decision 139).
 */
import { debitOn, type Movement } from '../lots/movement.ts'
import type { Redemption } from '../model.ts'
import type { Instant, Points } from '../units.ts'
import type { PlayerHistory } from './snapshot.ts'

/** Whether a hold is active at a moment: it lapses when its time is up, without any write. */
export function isActiveHold({ state, heldUntil }: Redemption, now: Instant): boolean {
  return state === 'held' && heldUntil !== undefined && heldUntil > now
}

/** Whether a hold has lapsed, by the clock or permanently. */
export function hasLapsed(redemption: Redemption, now: Instant): boolean {
  return redemption.state === 'lapsed' || (redemption.state === 'held' && !isActiveHold(redemption, now))
}

/**
 * The player's holds, except the one named, that have lapsed by our clock, marked as permanently lapsed. They must be written together with any
 * spending: a process whose clock is behind could still treat them as active, and spend the same points again (decision 154).
 */
export function lapsedHoldsBeside(
  id: string,
  { redemptions }: Pick<PlayerHistory, 'redemptions'>,
  now: Instant,
): Redemption[] {
  return redemptions
    .filter((one) => one.id !== id && one.state === 'held' && hasLapsed(one, now))
    .map(({ heldUntil: _, ...hold }) => ({ ...hold, state: 'lapsed' }))
}

/** The holds active at a moment, as debits on the days of the holds. */
export function heldMovements(redemptions: readonly Redemption[], now: Instant): Movement[] {
  return redemptions.filter((hold) => isActiveHold(hold, now)).map(({ heldOn, points }) => debitOn(heldOn, points))
}

/** The points that movements spend; for holds, the points held. */
export function sumSpent(movements: readonly Movement[]): Points {
  return movements.reduce((sum, { spent }) => sum + spent, 0n)
}
