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
  found: Redemption,
  known: RedeemKnown,
): RedeemVerdict {
  const free = freePoints(known.history, known)
  if (found.state === 'voided') return { refused: { kind: 'is-voided', free } }
  if (found.state === 'used') return { refused: { kind: 'used-by-order', orderId: found.orderId!, free } }
  if (found.state === 'confirmed')
    return points === undefined || pointsSoFar(found).includes(points)
      ? unchangedRedemption(found)
      : { refused: { kind: 'is-confirmed', free } }
  const spent = points ?? found.points
  if (spent > found.points) return { refused: { kind: 'more-than-held' } }
  const step = stepOfPart(found, known)
  if (spent % step !== 0n) return { refused: { kind: 'step', step } }
  const { today, now, published } = known
  const isActive = isActiveHold(found, now)
  const rules = published.program.redeem
  if (!isActive) {
    const overdraft = rules?.overdraft ?? 0n
    const refused = refusalOfDebit(known.history, debitOn(today, spent), known, { overdraft, step: 1n })
    if (refused !== undefined) return { refused }
  }
  const { heldUntil: _, ...rest } = found
  const redemption: Redemption = { ...rest, state: 'confirmed', points: spent, heldOn: isActive ? found.heldOn : today }
  return changedRedemption(redemption, [redemptionEntry(redemption, -spent, known)], known)
}

/** Parts follow the steps of the hold's own program version, which defines what its points pay. A reward is confirmed and voided whole. */
function stepOfPart({ reward, points, program }: Redemption, { programs }: RedeemKnown): Points {
  if (reward !== undefined) return points
  return programs.find(({ version }) => version === program)?.program.redeem?.step ?? 1n
}

/** Releases a hold without an entry; gives back what was spent; or does either with a part. What an order has used is left to the order. */
export function voidRedemption(
  { points, reason }: Extract<RedeemCommand, { act: 'void' }>,
  found: Redemption,
  known: RedeemKnown,
): RedeemVerdict {
  const { state, voidedParts = [] } = found
  const part = points === undefined ? undefined : voidedParts.find((one) => one.reason === reason)
  if (part !== undefined)
    return part.points === points ? unchangedRedemption(found) : { refused: { kind: 'other-content' } }
  if (state === 'voided')
    return points === undefined || points === found.points
      ? unchangedRedemption(found)
      : { refused: { kind: 'is-voided', free: freePoints(known.history, known) } }
  if (state === 'used')
    return { refused: { kind: 'used-by-order', orderId: found.orderId!, free: freePoints(known.history, known) } }
  const given = points ?? found.points
  if (given > found.points) return { refused: { kind: 'more-than-held' } }
  if (given < found.points) {
    const step = stepOfPart(found, known)
    if (given % step !== 0n) return { refused: { kind: 'step', step } }
    if (voidedParts.length >= VOIDED_PARTS_MAX) return { refused: { kind: 'too-many-parts' } }
  }
  const redemption = given < found.points ? withoutPart(found, { points: given, reason }) : voided(found)
  if (isOpenHold(found)) return changedRedemption(redemption, [], known)
  const back = { ...redemptionEntry(found, given, known), redemption: { id: found.id, reason } }
  return changedRedemption(redemption, [back, ...reinstatedEntries(found, back, known)], known)
}

function withoutPart(found: Redemption, part: VoidedPart): Redemption {
  return { ...found, points: found.points - part.points, voidedParts: [...(found.voidedParts ?? []), part] }
}

function voided({ heldUntil: _, ...rest }: Redemption): Redemption {
  return { ...rest, state: 'voided' }
}

/** Reinstates the points given back that have expired in the meantime, if the program says so. */
function reinstatedEntries(found: Redemption, back: Omit<Entry, 'seq'>, known: RedeemKnown): Omit<Entry, 'seq'>[] {
  const rules = known.published.program.redeem
  if (rules === undefined) return []
  const { heldOn: day, points: before } = found
  const { movements, redemptions } = known.history
  const without = { movements: [...movements, debitOn(day, -before)], redemptions }
  const given = reinstatement(without, { day, before, after: before - back.points }, known, rules)
  return given === undefined ? [] : [{ ...back, kind: 'reinstated', ...given }]
}
