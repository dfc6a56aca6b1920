import type { Adjustment } from '../points/ledger/adjust.ts'
import type { Accepted, RecordKind } from './batch.ts'
import { boolean, calendarDay, key, nonBlankText, signedWhole } from './fields.ts'
import { compileReader, optional, type RecordWords, required } from './record.ts'

/** The fields of an adjustment for one player (docs/api.md). */
export const adjustmentFields = {
  id: required('id', key),
  points: required('points', signedWhole),
  counts: required('counts', boolean),
  reason: required('reason', nonBlankText),
  usableOn: optional('usable_on', calendarDay, undefined),
  expiresOn: optional('expires_on', calendarDay, undefined),
}

export const ADJUSTMENT_WORDS: RecordWords<typeof adjustmentFields> = {
  title: 'Adjustment',
  description: "A manual change of a player's points",
  fields: {
    id: 'idempotency key, unique per player',
    points: 'points to add; negative to deduct',
    counts: 'if true, the points count for the level',
    reason: 'human-readable reason; non-blank',
    usableOn: 'first date on which the points can be spent; default: today. Requires `points` in the program',
    expiresOn: "date from which they can no longer be spent; default: by the program's expiry rule",
  },
}

/** The fields of a request to undo an adjustment. */
export const undoingFields = { reason: required('reason', nonBlankText) }

export const UNDOING_WORDS: RecordWords<typeof undoingFields> = {
  title: 'Undoing',
  description: 'Reverses an adjustment',
  fields: { reason: 'human-readable reason; non-blank' },
}

/** An adjustment with its player, one of many in a request: opening balances that a shop imports. */
export const balanceFields = { userId: required('user_id', key), ...adjustmentFields }

export const BALANCE_WORDS: RecordWords<typeof balanceFields> = {
  title: 'Balance',
  description: 'An adjustment with its player',
  fields: { userId: 'player ID', ...ADJUSTMENT_WORDS.fields },
}

const readBalance = compileReader(balanceFields)

/** How the balances of a batch are read. */
export const balanceKind: RecordKind<Accepted<Adjustment>> = {
  wireKey: 'user_id',
  keyField: key,
  accept: (data, path, position) => {
    const record = readBalance(data, path)
    return { position, key: record.userId, record }
  },
}
