import { randomBytes } from 'node:crypto'
import { Conflict, InvalidInput, NotFound } from '../errors.ts'
import { filledText, stateVersion as wholeNumber } from '../ingest/fields.ts'
import { programSource } from '../ingest/program-text.ts'
import { optional, type RecordWords, readRecord, required } from '../ingest/record.ts'
import { shortened } from '../ingest/shown.ts'
import { readerOf } from '../store/db/reader.ts'
import {
  DRAFTS_MAX,
  deleteDraft,
  findDraft,
  insertDraft,
  type ListedDraft,
  type StoredDraft,
  selectDrafts,
  updateDraft,
} from '../store/drafts.ts'
import type { Deps } from './deps.ts'

const ID_BYTES = 6

const textFields = {
  name: required('name', filledText),
  source: required('source', programSource),
  cases: optional('cases', programSource, ''),
}
export const newDraftFields = { ...textFields, basedOn: optional('based_on', wholeNumber, undefined) }
export const changedDraftFields = { ...textFields, revision: required('revision', wholeNumber) }

const TEXT_WORDS = {
  name: 'what the draft is called',
  source: 'the text of the program, with faults or without',
  cases: 'the text of its test orders, or empty',
}
export const NEW_DRAFT_WORDS: RecordWords<typeof newDraftFields> = {
  title: 'NewDraft',
  description: 'A program to go on writing',
  fields: { ...TEXT_WORDS, basedOn: 'the version that it is begun from' },
}
export const CHANGED_DRAFT_WORDS: RecordWords<typeof changedDraftFields> = {
  title: 'ChangedDraft',
  description: 'A draft as it is to be, and as which it was read',
  fields: {
    ...TEXT_WORDS,
    revision: 'the revision that was changed: a draft that has another one by now is not overwritten',
  },
}

type DraftDeps = Pick<Deps, 'db' | 'now'>

/** Every draft without its texts, last changed first. Errors: Unavailable. */
export async function listDrafts({ db }: DraftDeps, deadlineAt: number): Promise<ListedDraft[]> {
  return selectDrafts(readerOf(db, deadlineAt))
}

/** Errors: NotFound, Unavailable. */
export async function showDraft({ db }: DraftDeps, id: string, deadlineAt: number): Promise<StoredDraft> {
  return foundDraft(await findDraft(readerOf(db, deadlineAt), id), id)
}

/**
 * Keeps a program that somebody writes, whatever its faults. `data` is as it was sent; `by` is the id of the caller's token.
 * Bounds: 100 drafts. Errors: InvalidInput, also for one draft too many; Unavailable.
 */
export async function createDraft(
  { db, now }: DraftDeps,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<StoredDraft> {
  const { basedOn, ...texts } = readRecord(newDraftFields, data, 'data')
  const id = randomBytes(ID_BYTES).toString('hex')
  const at = now().toISOString()
  return db.transaction(async (tx) => {
    if (!(await insertDraft(tx, id, texts, { basedOn, at, by })))
      throw new InvalidInput('data', `there are ${DRAFTS_MAX} drafts already, which is as many as are kept: delete one`)
    return foundDraft(await findDraft(tx, id), id)
  }, deadlineAt)
}

/**
 * Changes a draft that is still at the revision at which it was read. `data` is as it was sent; `by` is the id of the caller's token.
 * Errors: InvalidInput; NotFound; Conflict with the draft as it is, where somebody else has changed it in between; Unavailable.
 */
export async function changeDraft(
  { db, now }: DraftDeps,
  id: string,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<StoredDraft> {
  const { revision, ...texts } = readRecord(changedDraftFields, data, 'data')
  const at = now().toISOString()
  return db.transaction(async (tx, attempt) => {
    const isWritten = await updateDraft(tx, { id, revision }, texts, { at, by })
    const found = foundDraft(await findDraft(tx, id), id)
    // An earlier attempt may have written it already, if the outcome of its COMMIT stayed unknown.
    const isOwn = attempt > 1 && found.changed_at === at && found.changed_by === by && found.revision === revision + 1
    if (isWritten || isOwn) return found
    throw new Conflict(
      'data.revision',
      `somebody else has changed this draft: it has revision ${found.revision}, and what was sent was changed from ${revision}`,
      found,
    )
  }, deadlineAt)
}

/** Deletes a draft. Errors: NotFound, Unavailable. */
export async function dropDraft({ db }: DraftDeps, id: string, deadlineAt: number): Promise<void> {
  const isGone = await db.transaction(async (tx, attempt) => (await deleteDraft(tx, id)) || attempt > 1, deadlineAt)
  if (!isGone) foundDraft(undefined, id)
}

function foundDraft(draft: StoredDraft | undefined, id: string): StoredDraft {
  if (draft === undefined) throw new NotFound(`there is no draft ${shortened(id)}`)
  return draft
}
