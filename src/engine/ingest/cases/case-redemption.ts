/*
 * Reads a redemption of a case without an order: points held or spent, a hold confirmed, or either of them voided.
 */
import type { RedeemCommand } from '../../points/ledger/redemptions.ts'
import { key, nonBlankText } from '../fields.ts'
import { optional, required } from '../record.ts'
import { redemptionFields } from '../redemption.ts'
import type { FileFault } from '../yaml-text.ts'
import { type NamedValues, readEvery } from './every-fault.ts'

const { points, reward, hold, orderId } = redemptionFields
const reason = optional('reason', nonBlankText, 'a test')

const redeemFields = { id: required('redeem', key), points, reward, hold, orderId, reason }
const confirmFields = { id: required('confirm', key), points }
const voidFields = { id: required('void', key), reason }

const ACTS = ['redeem', 'confirm', 'void'] as const

/** The act of a step, determined by which field holds its id; undefined for an order. */
export function actOf(written: NamedValues): (typeof ACTS)[number] | undefined {
  return ACTS.find((act) => written[act] !== undefined)
}

/** Reads a redemption. Every fault is added to `faults`; undefined if there is any. */
export function readTestRedemption(
  act: (typeof ACTS)[number],
  written: NamedValues,
  path: string,
  faults: FileFault[],
): RedeemCommand | undefined {
  if (act === 'confirm') return commandOf({ act }, readEvery(confirmFields, written, path, faults))
  if (act === 'void') return commandOf({ act }, readEvery(voidFields, written, path, faults))
  const read = readEvery(redeemFields, written, path, faults)
  if (read !== undefined && (read.points === undefined) === (read.reward === undefined)) {
    faults.push({ path, error: 'expected either points or reward' })
    return undefined
  }
  return commandOf({ act }, read)
}

/** The command, without the fields that were left out. */
function commandOf(act: Pick<RedeemCommand, 'act'>, read: object | undefined): RedeemCommand | undefined {
  if (read === undefined) return undefined
  const said = Object.entries(read).filter(([, value]) => value !== undefined)
  return { ...act, ...Object.fromEntries(said) } as RedeemCommand
}
