import { randomBytes } from 'node:crypto'
import { type ActKind, insertActs, type NewActs } from '../../store/acts.ts'
import type { Queryable } from '../../store/db/driver.ts'
import type { Deps } from '../deps.ts'

const ID_BYTES = 9

type Doing = Readonly<{ at: string; by: string }>
type Detail = Readonly<Record<string, unknown>>

/**
 * How to write, within the transaction that does it, what a person does: made before it begins, so that work that runs again writes the same
 * row. `subject` and `detail` have no personal data; `at` is RFC 3339, `by` the id of the caller's token.
 */
export function newAct(
  act: ActKind,
  { at, by }: Doing,
): (tx: Queryable, subject: string, detail?: Detail) => Promise<void> {
  const write = newActBy(act, at)
  return (tx, subject, detail) => write(tx, by, subject, detail)
}

/** The same where the transaction finds out whose token it is. */
export function newActBy(
  act: ActKind,
  at: string,
): (tx: Queryable, by: string, subject: string, detail?: Detail) => Promise<void> {
  const id = newActId()
  return (tx, by, subject, detail = {}) => insertActs(tx, { at, by, act, on: [{ id, subject, detail }] })
}

/** Writes what a person is about to be shown, or does to several things that have no transaction of their own. Errors: Unavailable. */
export async function noteActs(
  { db }: Pick<Deps, 'db'>,
  act: ActKind,
  doing: Doing,
  on: readonly Readonly<{ subject: string; detail?: Detail }>[],
  deadlineAt: number,
): Promise<void> {
  if (on.length === 0) return
  const acts: NewActs = {
    ...doing,
    act,
    on: on.map(({ subject, detail = {} }) => ({ id: newActId(), subject, detail })),
  }
  await db.transaction((tx) => insertActs(tx, acts), deadlineAt)
}

function newActId(): string {
  return randomBytes(ID_BYTES).toString('base64url')
}
