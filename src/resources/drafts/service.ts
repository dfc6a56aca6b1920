import { randomBytes } from 'node:crypto'
import { changeAndRecord } from '../../audit-log/record-acts.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { changeOnce } from '../../database/db/own-retry.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { nonBlankText, smallWhole } from '../../engine/ingest/fields.ts'
import { programSource } from '../../engine/ingest/program-text.ts'
import { optional, type RecordWords, readRecord, required } from '../../engine/ingest/record.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { Conflict, InvalidInput, NotFound } from '../../errors.ts'
import {
  DRAFTS_MAX,
  deleteDraft,
  findDraft,
  insertDraft,
  type ListedDraft,
  lockDraft,
  type StoredDraft,
  selectDrafts,
  updateDraft,
} from './store.ts'

const ID_BYTES = 6

const textFields = {
  name: required('name', nonBlankText),
  source: required('source', programSource),
  cases: optional('cases', programSource, ''),
}
export const newDraftFields = { ...textFields, basedOn: optional('based_on', smallWhole, undefined) }
export const changedDraftFields = { ...textFields, revision: required('revision', smallWhole) }

const TEXT_WORDS = {
  name: 'draft name',
  source: 'the text of the program, with or without errors',
  cases: 'the text of its test orders, or empty',
}
export const NEW_DRAFT_WORDS: RecordWords<typeof newDraftFields> = {
  title: 'NewDraft',
  description: 'A new draft',
  fields: { ...TEXT_WORDS, basedOn: 'version it is based on' },
}
export const CHANGED_DRAFT_WORDS: RecordWords<typeof changedDraftFields> = {
  title: 'ChangedDraft',
  description: 'The new content of a draft, and the edited revision',
  fields: {
    ...TEXT_WORDS,
    revision: 'the edited revision; a draft at another revision is not overwritten',
  },
}

type DraftDeps = Pick<Deps, 'db' | 'now'>

/** All drafts without their texts, most recently changed first. Errors: Unavailable. */
export async function listDrafts({ db }: DraftDeps, deadlineAt: number): Promise<ListedDraft[]> {
  return selectDrafts(readerOf(db, deadlineAt))
}

/** Errors: NotFound, Unavailable. */
export async function showDraft({ db }: DraftDeps, id: string, deadlineAt: number): Promise<StoredDraft> {
  return requireDraft(await findDraft(readerOf(db, deadlineAt), id), id)
}

/**
 * Stores a program being written, whatever its issues. `data` is unvalidated input; `by` is the id of the caller's token.
 * Bounds: 100 drafts. Errors: InvalidInput, also if there are too many drafts; Unavailable.
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
      throw new InvalidInput('data', `draft limit (${DRAFTS_MAX}) reached: delete one first`)
    return requireDraft(await findDraft(tx, id), id)
  }, deadlineAt)
}

/**
 * Changes a draft if it is still at the revision that was edited. `data` is unvalidated input; `by` is the id of the caller's token.
 * Errors: InvalidInput; NotFound; Conflict, carrying the current draft, if somebody else has changed it in the meantime; Unavailable.
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
  const change = async (tx: Queryable) => {
    const isUpdated = await updateDraft(tx, { id, revision }, texts, { at, by })
    const draft = requireDraft(await findDraft(tx, id), id)
    if (isUpdated) return draft
    throw new Conflict(
      'data.revision',
      `another user changed this draft: it is at revision ${draft.revision}, yours is based on ${revision}`,
      draft,
    )
  }
  // Of our own change only the last one can be told: if somebody saves the draft before the retry, the author gets their version as a conflict.
  const isCommitted = async (tx: Queryable) => {
    const stored = await lockDraft(tx, id)
    return stored?.revision === revision + 1 && stored.changed_at === at && stored.changed_by === by
  }
  return changeOnce(db, { change, isCommitted }, deadlineAt)
}

/** Deletes a draft, whoever wrote it. `by` is the id of the caller's token. Errors: NotFound, Unavailable. */
export async function dropDraft({ db, now }: DraftDeps, id: string, by: string, deadlineAt: number): Promise<void> {
  await changeAndRecord(db, { act: 'draft-deleted', at: now().toISOString(), deadlineAt }, async (tx) => {
    if (!(await deleteDraft(tx, id))) requireDraft(undefined, id)
    return { response: undefined, record: { by, subject: id } }
  })
}

function requireDraft(draft: StoredDraft | undefined, id: string): StoredDraft {
  if (draft === undefined) throw new NotFound(`draft ${shortened(id)} not found`)
  return draft
}
