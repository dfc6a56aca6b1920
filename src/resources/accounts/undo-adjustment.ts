import type { Queryable } from '../../database/db/driver.ts'
import { undoingFields } from '../../engine/ingest/adjustment.ts'
import { readRecord } from '../../engine/ingest/record.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { type Undoing, type UndoingVerdict, undo, undoingId } from '../../engine/points/ledger/adjust.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { readKnownAdjustments } from '../../ledger/snapshots.ts'
import { writeSlices } from '../../ledger/write-slices.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import type { Deps } from '../../shared/deps.ts'
import { bookingAt, describeAdjustmentRefusal } from './adjustments.ts'

/**
 * Reverses a player's adjustment with an entry of its own; idempotent, `repeated` says that it had been undone before (decision 142). `data` is
 * unvalidated input; `subject` names the player in the acts, `by` is the id of the caller's token.
 * Errors: InvalidInput; NotFound for an unknown player or adjustment; Unavailable: safe to retry.
 */
export async function undoAdjustment(
  deps: Deps,
  { userId, id, subject, by }: Readonly<{ userId: string; id: string; subject: string; by: string }>,
  data: unknown,
  deadlineAt: number,
): Promise<{ repeated: boolean }> {
  const undoing: Undoing = { userId, id, ...readRecord(undoingFields, data, 'data') }
  const at = deps.now().toISOString()
  const booking = bookingAt(deps.programs(), at, by)
  const orders = new Map<string, never>()
  const compute = async (db: Queryable) => {
    const known = await readKnownAdjustments(db, [undoing, { userId, id: undoingId(id) }])
    const { verdict, accounts, entries } = undo(undoing, known, booking)
    const change = { accounts, entries, orders }
    return { change, before: { accounts: known.accounts, orders }, verdicts: [verdict] }
  }
  const writeAct = prepareAct('adjustment-undone', { at, by })
  const writeAlongside = async (tx: Queryable, _: unknown, [verdict]: readonly UndoingVerdict[]) => {
    if ('done' in verdict! && verdict.done === 'inserted') await writeAct(tx, subject, { id })
  }
  const write = { compute, wanted: [undoing], writeAlongside, at, deadlineAt }
  const [verdict] = (await writeSlices(deps, [[undoing]], write)) as [UndoingVerdict]
  if ('done' in verdict) return { repeated: verdict.done === 'unchanged' }
  throw refusalOf(undoing, verdict.refused)
}

function refusalOf(
  { userId, id, reason }: Undoing,
  refused: Extract<UndoingVerdict, { refused: string }>['refused'],
): Error {
  switch (refused) {
    case 'unknown-adjustment':
      return new NotFound(`player ${shortened(userId)} has no adjustment ${shortened(id)}`)
    case 'is-undoing':
      return new InvalidInput('id', `adjustment ${shortened(id)} undoes another one: make a new adjustment instead`)
    case 'id-taken':
      return new InvalidInput(
        'id',
        `adjustment ${shortened(undoingId(id))} is there already: make a new adjustment instead`,
      )
    case 'unknown-player':
    case 'too-many-points': {
      const { field, error } = describeAdjustmentRefusal({ userId, id, reason, points: 0n, counts: false }, refused)
      return refused === 'unknown-player' ? new NotFound(error) : new InvalidInput(field, error)
    }
    default:
      return refused satisfies never
  }
}
