import type { Row } from '../engine/ingest/batch.ts'
import { type Values, valuesOf } from '../engine/ingest/row.ts'
import { refusalOfVersion, type StateRefusal } from '../engine/points/ledger/state-versions.ts'
import { ERASED_FINGERPRINT } from '../ledger/erasures.ts'
import type { StoredState } from './rows.ts'
import type { RecordVerdict } from './summary.ts'

export type StateVerdict = RecordVerdict | StateRefusal | 'erased'

/** The result of applying the states of one key. */
export type AppliedStates = Readonly<{
  /** One for each state, in the order sent. */
  verdicts: readonly StateVerdict[]
  /** The content to write; undefined if it is already stored. */
  changed: Row | undefined
  /** The version to store; undefined if it is already stored, or none was ever sent. */
  raisedTo: number | undefined
}>

/** How a state takes values from those before it. */
export type Fill = (before: Values, row: Row) => Row

/** A fingerprint with what it does not say, from the one before; undefined if there is none. */
export type Complete = (before: string | undefined, fingerprint: string) => string

/**
 * Applies the states of one key one by one, in the order sent, on top of what is stored (decisions 40 and 71): by the same rule as orders. With `fill`,
 * each is filled from the one before, first from the `values` that are stored; with `complete`, so is its fingerprint. Of a player who was erased none
 * is taken before one that rejoins.
 */
export function applyStates(
  sent: readonly Row[],
  stored: StoredState | undefined,
  {
    fill,
    values,
    complete,
  }: Readonly<{
    fill?: Fill | undefined
    values?: Values | undefined
    complete?: Complete | undefined
  }> = {},
): AppliedStates {
  let current = stored
  let last: Row | undefined
  const filled = (row: Row): Row => {
    if (fill === undefined) return row
    const before = last === undefined ? values : valuesOf(last.row)
    return before === undefined ? row : fill(before, row)
  }
  const completed = (row: Row): Row =>
    complete === undefined ? row : { ...row, fingerprint: complete(current?.fingerprint, row.fingerprint) }
  const verdicts = sent.map((state): StateVerdict => {
    if (current?.fingerprint === ERASED_FINGERPRINT) {
      if (!state.rejoins) return 'erased'
      current = undefined
    }
    const row = completed(filled(state))
    const isSame = current?.fingerprint === row.fingerprint
    const refused = refusalOfVersion(row.stateVersion, current?.stateVersion, () => isSame)
    if (refused !== undefined) return refused
    const verdict = current === undefined ? 'inserted' : isSame ? 'unchanged' : 'updated'
    const stateVersion = row.stateVersion ?? current?.stateVersion
    current = { fingerprint: row.fingerprint, ...(stateVersion === undefined ? {} : { stateVersion }) }
    if (!isSame) last = row
    return verdict
  })
  return {
    verdicts,
    changed: current?.fingerprint === stored?.fingerprint ? undefined : last,
    raisedTo: current?.stateVersion === stored?.stateVersion ? undefined : current?.stateVersion,
  }
}
