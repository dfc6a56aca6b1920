import type { Row } from '../engine/ingest/batch.ts'
import { refusalOfVersion, type StateRefusal } from '../engine/points/ledger/state-versions.ts'
import type { StoredState } from './rows.ts'
import type { RecordVerdict } from './summary.ts'

export type StateVerdict = RecordVerdict | StateRefusal

/** The result of applying the states of one key. */
export type AppliedStates = Readonly<{
  /** One for each state, in the order sent. */
  verdicts: readonly StateVerdict[]
  /** The content to write; undefined if it is already stored. */
  changed: Row | undefined
  /** The version to store; undefined if it is already stored, or none was ever sent. */
  raisedTo: number | undefined
}>

/** Applies the states of one key one by one, in the order sent, on top of what is stored (decisions 41 and 71): by the same rule as orders. */
export function applyStates(sent: readonly Row[], stored: StoredState | undefined): AppliedStates {
  let current = stored
  let last: Row | undefined
  const verdicts = sent.map((row): StateVerdict => {
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
