import type { Adjustment } from '../points/ledger/adjust.ts'
import type { Accepted, RecordKind } from './batch.ts'
import { boolean, filledText, key, signedWhole } from './fields.ts'
import { type RecordOf, readRecord, required } from './record.ts'

/** The fields of an adjustment of one player (docs/api.md). */
export const adjustmentFields = {
  id: required('id', key),
  points: required('points', signedWhole),
  counts: required('counts', boolean),
  reason: required('reason', filledText),
}

/** The same with its player, for many at once: what a shop brings along. */
export const balanceFields = { userId: required('user_id', key), ...adjustmentFields }

export type AdjustmentRecord = RecordOf<typeof adjustmentFields>

/** How balances of a batch are read. */
export const balanceKind: RecordKind<Accepted<Adjustment>> = {
  wireKey: 'user_id',
  keyField: key,
  accept: (data, at, position) => {
    const record = readRecord(balanceFields, data, at)
    return { position, key: record.userId, record }
  },
}
