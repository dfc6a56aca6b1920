/*
 * Points that are held under an id of the client's, until a moment (decision 140).
 */
import { debitOn, type Movement } from '../lots.ts'
import type { Redemption } from '../model.ts'
import type { Moment, Points } from '../units.ts'
import type { PlayerHistory } from './snapshot.ts'

/** Whether points are held at a moment: a hold lapses by the clock alone. */
export function isActiveHold({ state, heldUntil }: Redemption, now: Moment): boolean {
  return state === 'held' && heldUntil !== undefined && heldUntil > now
}

/** Whether a hold has lapsed: by the clock, or for good. */
export function hasLapsed(redemption: Redemption, now: Moment): boolean {
  return redemption.state === 'lapsed' || (redemption.state === 'held' && !isActiveHold(redemption, now))
}

/**
 * The holds of a player that have lapsed by our clock, without the one named, marked as lapsed for good. Whoever spends points writes them with it: a
 * process whose clock is behind would take them for active, and spend the same points again (decision 154).
 */
export function lapsedHoldsBeside(
  id: string,
  { redemptions }: Pick<PlayerHistory, 'redemptions'>,
  now: Moment,
): Redemption[] {
  return redemptions
    .filter((one) => one.id !== id && one.state === 'held' && hasLapsed(one, now))
    .map(({ heldUntil: _, ...hold }) => ({ ...hold, state: 'lapsed' }))
}

/** What is held at a moment, as debits of the days of the holds. */
export function heldMovements(redemptions: readonly Redemption[], now: Moment): Movement[] {
  return redemptions.filter((hold) => isActiveHold(hold, now)).map(({ heldOn, points }) => debitOn(heldOn, points))
}

/** How many points movements spend: of holds what is held. */
export function sumSpent(movements: readonly Movement[]): Points {
  return movements.reduce((sum, { spent }) => sum + spent, 0n)
}
