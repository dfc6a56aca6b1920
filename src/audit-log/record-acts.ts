/*
 * The three ways of writing to the audit log. A record of a change is written in the transaction of the change, and only if something changes
 * (decision 133); a record of personal data that is shown, before it is shown.
 */
import { randomBytes } from 'node:crypto'
import type { Queryable } from '../database/db/driver.ts'
import { changeOnce } from '../database/db/own-retry.ts'
import type { Db, Tx } from '../database/db/transaction.ts'
import { type ActKind, insertActs, isActStored, type NewActs } from './acts.ts'

const ID_BYTES = 9

type WhenAndWho = Readonly<{ at: string; by: string }>
type Detail = Readonly<Record<string, unknown>>

/** What an operation comes to: its response, and whose act on what is to be recorded; undefined if it has changed nothing. */
export type RecordedChange<T> = Readonly<{
  response: T
  record: Readonly<{ by: string; subject: string; detail?: Detail }> | undefined
}>

/**
 * Makes a change and records it, both once: the record, whose id is chosen before the transaction, is also what a retry recognises its own
 * earlier attempt by, whatever has become of the change since. `at` is RFC 3339; for what a record may contain, see NewActs.
 * Errors: those of `change`; Unavailable.
 */
export async function changeAndRecord<T>(
  db: Pick<Db, 'transaction'>,
  { act, at, deadlineAt }: Readonly<{ act: ActKind; at: string; deadlineAt: number }>,
  change: (tx: Tx) => Promise<RecordedChange<T>>,
): Promise<T> {
  const id = newActId()
  const markedChange = {
    change: async (tx: Tx) => {
      const { response, record } = await change(tx)
      if (record === undefined) return response
      const { by, subject, detail = {} } = record
      await insertActs(tx, { at, by, act, on: [{ id, subject, detail }] })
      return response
    },
    isCommitted: (tx: Tx) => isActStored(tx, { at, id }),
  }
  return changeOnce(db, markedChange, deadlineAt)
}

/**
 * Prepares the record of a change that `writeSlices` makes, and returns a function that writes it within the transaction of a slice that has
 * changed something. Called again, in a retry or with another slice, it writes nothing. `at` is RFC 3339, `by` the id of the caller's token.
 */
export function prepareAct(
  act: ActKind,
  { at, by }: WhenAndWho,
): (tx: Queryable, subject: string, detail?: Detail) => Promise<void> {
  const id = newActId()
  return (tx, subject, detail = {}) => insertActs(tx, { at, by, act, on: [{ id, subject, detail }] })
}

/** Records acts in a transaction of their own, before data is shown. Errors: Unavailable. */
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
