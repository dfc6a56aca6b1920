/*
 * Confirming a hold, which spends its points; and voiding a redemption, which releases what is held and gives back what was spent (decisions 140 and
 * 141). Pure.
 */
import { debitOn } from '../lots/movement.ts'
import type { Entry, Redemption } from '../model.ts'
import type { Points } from '../units.ts'
import { freePoints, refusalOfDebit, reinstatement } from './debits.ts'
import { isActiveHold } from './holds.ts'
import {
  changedRedemption,
  isOpenHold,
  type RedeemCommand,
  type RedeemKnown,
  type RedeemVerdict,
  redemptionEntry,
  unchangedRedemption,
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
    return points === undefined || points === found.points
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

/** Partial confirmations follow the steps of the hold's own program version, which defines what its points pay. A reward is confirmed whole. */
function stepOfPart({ reward, points, program }: Redemption, { programs }: RedeemKnown): Points {
  if (reward !== undefined) return points
  return programs.find(({ version }) => version === program)?.program.redeem?.step ?? 1n
}

/** Releases a hold without an entry; gives back what was spent. What an order has used is left to the order. */
export function voidRedemption(
  { reason }: Extract<RedeemCommand, { act: 'void' }>,
  found: Redemption,
  known: RedeemKnown,
): RedeemVerdict {
  if (found.state === 'voided') return unchangedRedemption(found)
  if (found.state === 'used')
    return { refused: { kind: 'used-by-order', orderId: found.orderId!, free: freePoints(known.history, known) } }
  const { heldUntil: _, ...rest } = found
  const redemption: Redemption = { ...rest, state: 'voided' }
  if (isOpenHold(found)) return changedRedemption(redemption, [], known)
  const back = { ...redemptionEntry(found, found.points, known), redemption: { id: found.id, reason } }
  return changedRedemption(redemption, [back, ...reinstatedEntries(found, back, known)], known)
}

/** Reinstates the points given back that have expired in the meantime, if the program says so. */
function reinstatedEntries(found: Redemption, back: Omit<Entry, 'seq'>, known: RedeemKnown): Omit<Entry, 'seq'>[] {
  const rules = known.published.program.redeem
  if (rules === undefined) return []
  const { heldOn: day, points: before } = found
  const { movements, redemptions } = known.history
  const without = { movements: [...movements, debitOn(day, -before)], redemptions }
  const given = reinstatement(without, { day, before, after: 0n }, known, rules)
  return given === undefined ? [] : [{ ...back, kind: 'reinstated', ...given }]
}
