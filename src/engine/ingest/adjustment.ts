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
  description: 'Points that no order earned, or that were spent',
  fields: {
    id: 'an identifier of your own, once for each player: it makes the request safe to repeat',
    points: 'how many points to add; below 0 to take away',
    counts: 'whether they count for the level',
    reason: 'why, for people; not blank',
    usableOn: 'the first day on which the points can be spent; absent: today. Only where a program has points',
    expiresOn:
      'the first day on which they no longer can; absent: as the program says for points that become usable then',
  },
}

/** The fields of a request to undo an adjustment. */
export const undoingFields = { reason: required('reason', nonBlankText) }

export const UNDOING_WORDS: RecordWords<typeof undoingFields> = {
  title: 'Undoing',
  description: 'Takes an adjustment back',
  fields: { reason: 'why, for people; not blank' },
}

/** An adjustment with its player, one of many in a request: opening balances that a shop imports. */
export const balanceFields = { userId: required('user_id', key), ...adjustmentFields }

export const BALANCE_WORDS: RecordWords<typeof balanceFields> = {
  title: 'Balance',
  description: 'An adjustment with its player',
  fields: { userId: 'the player', ...ADJUSTMENT_WORDS.fields },
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
