import type { Adjustment } from '../points/ledger/adjust.ts'
import type { Accepted, RecordKind } from './batch.ts'
import { boolean, filledText, key, signedWhole } from './fields.ts'
import { compileReader, required } from './record.ts'

/** The fields of an adjustment of one player (docs/api.md). */
export const adjustmentFields = {
  id: required('id', key),
  points: required('points', signedWhole),
  counts: required('counts', boolean),
  reason: required('reason', filledText),
}

/** An adjustment with its player, one of many in a request: balances that a shop brings along. */
export const balanceFields = { userId: required('user_id', key), ...adjustmentFields }

const readBalance = compileReader(balanceFields)

/** How balances of a batch are read. */
export const balanceKind: RecordKind<Accepted<Adjustment>> = {
  wireKey: 'user_id',
  keyField: key,
  accept: (data, at, position) => {
    const record = readBalance(data, at)
    return { position, key: record.userId, record }
  },
}
