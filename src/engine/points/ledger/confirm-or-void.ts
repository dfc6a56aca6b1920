/*
 * Confirming a hold, which spends its points; and voiding a redemption, which releases what is held and gives back what was spent (decision 139). Pure.
 */
import { debitOn } from '../lots/movement.ts'
import type { Entry, Redemption, VoidedPart } from '../model.ts'
import type { Points } from '../units.ts'
import { freePoints, refusalOfDebit, reinstatement } from './debits.ts'
import { isActiveHold } from './holds.ts'
import {
  changedRedemption,
  isOpenHold,
  pointsSoFar,
  type RedeemCommand,
  type RedeemKnown,
  type RedeemVerdict,
  redemptionEntry,
  unchangedRedemption,
  VOIDED_PARTS_MAX,
} from './redemptions.ts'

/** Spends what is held, or a part of it. A lapsed hold is treated as a new redemption, as payment gateways may answer late. */
export function confirmHold(
  { points }: Extract<RedeemCommand, { act: 'confirm' }>,
  stored: Redemption,
  context: RedeemKnown,
): RedeemVerdict {
  const free = freePoints(context.history, context)
  if (stored.state === 'voided') return { refused: { kind: 'is-voided', free } }
  if (stored.state === 'used') return { refused: { kind: 'used-by-order', orderId: stored.orderId!, free } }
  if (stored.state === 'confirmed')
    return points === undefined || pointsSoFar(stored).includes(points)
      ? unchangedRedemption(stored)
      : { refused: { kind: 'is-confirmed', free } }
  const spent = points ?? stored.points
  if (spent > stored.points) return { refused: { kind: 'more-than-held' } }
  const step = stepOfPart(stored, context)
  if (spent % step !== 0n) return { refused: { kind: 'step', step } }
  const { today, now, published } = context
  const isActive = isActiveHold(stored, now)
  const rules = published.program.redeem
  if (!isActive) {
    const overdraft = rules?.overdraft ?? 0n
    const refused = refusalOfDebit(context.history, debitOn(today, spent), context, { overdraft, step: 1n })
    if (refused !== undefined) return { refused }
  }
  const { heldUntil: _, ...rest } = stored
  const redemption: Redemption = {
    ...rest,
    state: 'confirmed',
    points: spent,
    heldOn: isActive ? stored.heldOn : today,
  }
  return changedRedemption(redemption, [redemptionEntry(redemption, -spent, context)], context)
}

/** Parts follow the steps of the hold's own program version, which defines what its points pay. A reward is confirmed and voided whole. */
function stepOfPart({ reward, points, program }: Redemption, { programs }: RedeemKnown): Points {
  if (reward !== undefined) return points
  return programs.find(({ version }) => version === program)?.program.redeem?.step ?? 1n
}

/** Releases a hold without an entry; gives back what was spent; or does either with a part. What an order has used is left to the order. */
export function voidRedemption(
  { points, reason }: Extract<RedeemCommand, { act: 'void' }>,
  stored: Redemption,
  context: RedeemKnown,
): RedeemVerdict {
  const { state, voidedParts = [] } = stored
  const part = points === undefined ? undefined : voidedParts.find((one) => one.reason === reason)
  if (part !== undefined)
    return part.points === points ? unchangedRedemption(stored) : { refused: { kind: 'other-content' } }
  if (state === 'voided')
    return points === undefined || points === stored.points
      ? unchangedRedemption(stored)
      : { refused: { kind: 'is-voided', free: freePoints(context.history, context) } }
  if (state === 'used')
    return { refused: { kind: 'used-by-order', orderId: stored.orderId!, free: freePoints(context.history, context) } }
  const refunded = points ?? stored.points
  if (refunded > stored.points) return { refused: { kind: 'more-than-held' } }
  if (refunded < stored.points) {
    const step = stepOfPart(stored, context)
    if (refunded % step !== 0n) return { refused: { kind: 'step', step } }
    if (voidedParts.length >= VOIDED_PARTS_MAX) return { refused: { kind: 'too-many-parts' } }
  }
  const redemption = refunded < stored.points ? withoutPart(stored, { points: refunded, reason }) : voided(stored)
  if (isOpenHold(stored)) return changedRedemption(redemption, [], context)
  const back = { ...redemptionEntry(stored, refunded, context), redemption: { id: stored.id, reason } }
  return changedRedemption(redemption, [back, ...reinstatedEntries(stored, back, context)], context)
}

function withoutPart(stored: Redemption, part: VoidedPart): Redemption {
  return { ...stored, points: stored.points - part.points, voidedParts: [...(stored.voidedParts ?? []), part] }
}

function voided({ heldUntil: _, ...rest }: Redemption): Redemption {
  return { ...rest, state: 'voided' }
}

/** Reinstates the points given back that have expired in the meantime, if the program says so. */
function reinstatedEntries(stored: Redemption, back: Omit<Entry, 'seq'>, context: RedeemKnown): Omit<Entry, 'seq'>[] {
  const rules = context.published.program.redeem
  if (rules === undefined) return []
  const { heldOn: day, points: before } = stored
  const { movements, redemptions } = context.history
  const without = { movements: [...movements, debitOn(day, -before)], redemptions }
  const restored = reinstatement(without, { day, before, after: before - back.points }, context, rules)
  return restored === undefined ? [] : [{ ...back, kind: 'reinstated', ...restored }]
}
