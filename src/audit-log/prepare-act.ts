import { randomBytes } from 'node:crypto'
import type { Queryable } from '../database/db/driver.ts'
import type { Db } from '../database/db/transaction.ts'
import { type ActKind, insertActs, type NewActs } from './acts.ts'

const ID_BYTES = 9

type WhenAndWho = Readonly<{ at: string; by: string }>
type Detail = Readonly<Record<string, unknown>>

/**
 * Prepares an act and returns a function that writes it within a transaction. The id is chosen before the transaction, so that a retry writes
 * the same row. `subject` and `detail` contain no personal data; `at` is RFC 3339, `by` the id of the caller's token.
 */
export function prepareAct(
  act: ActKind,
  { at, by }: WhenAndWho,
): (tx: Queryable, subject: string, detail?: Detail) => Promise<void> {
  const write = prepareActBy(act, at)
  return (tx, subject, detail) => write(tx, by, subject, detail)
}

/** The same, if only the transaction finds out whose token it is. */
export function prepareActBy(
  act: ActKind,
  at: string,
): (tx: Queryable, by: string, subject: string, detail?: Detail) => Promise<void> {
  const id = newActId()
  return (tx, by, subject, detail = {}) => insertActs(tx, { at, by, act, on: [{ id, subject, detail }] })
}

/** Records acts in a transaction of their own: before data is shown, or if the action has no transaction itself. Errors: Unavailable. */
export async function recordActs(
  { db }: Readonly<{ db: Db }>,
  act: ActKind,
  whenAndWho: WhenAndWho,
  on: readonly Readonly<{ subject: string; detail?: Detail }>[],
  deadlineAt: number,
): Promise<void> {
  if (on.length === 0) return
  const acts: NewActs = {
    ...whenAndWho,
    act,
    on: on.map(({ subject, detail = {} }) => ({ id: newActId(), subject, detail })),
  }
  await db.transaction((tx) => insertActs(tx, acts), deadlineAt)
}

function newActId(): string {
  return randomBytes(ID_BYTES).toString('base64url')
}
