/*
 * Erasing one person: what identifies the player goes, in every table and in one transaction; points and sums stay (docs/privacy.md).
 */
import { randomBytes } from 'node:crypto'
import { changeAndRecord, type RecordedChange } from '../../audit-log/record-acts.ts'
import type { Tx } from '../../database/db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { nonBlankText } from '../../engine/ingest/fields.ts'
import { isPersonalId } from '../../engine/ingest/player-key.ts'
import { type RecordWords, readRecord, required } from '../../engine/ingest/record.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import type { UserId } from '../../engine/points/units.ts'
import { InvalidInput, NotFound, Unavailable } from '../../errors.ts'
import { findReplacedIds, insertErasure } from '../../ledger/erasures.ts'
import { findMentions, idRanges } from './mentions.ts'
import {
  type ErasedCounts,
  erasePerson,
  isBackfillOpen,
  lockCounting,
  lockPerson,
  type Person,
  type PlayerMentions,
} from './store.ts'

export const erasureFields = { reason: required('reason', nonBlankText) }

export const ERASURE_WORDS: RecordWords<typeof erasureFields> = {
  title: 'Erasure',
  description: 'Why a player is erased',
  fields: { reason: 'reason, kept in the audit log; without personal data; non-blank' },
}

/** The result of an erasure. `userId` is the id that the player has from now on; `counts` is undefined if the player was erased before. */
export type Erasure = Readonly<{ userId: UserId; isMoved: boolean; counts: ErasedCounts | undefined }>

/** Whom to erase, by id or handle, by the token with which id; a dry run changes nothing. */
type ErasureRequest = Readonly<{ idOrHandle: string; by: string; isDryRun: boolean }>

/**
 * Whom to erase, by whom (the id of a token, or a setting) and why. `goesAhead` decides in the transaction, given what identifies the player. `mentions`
 * were looked up before; absent: they are looked up in the transaction.
 */
type ErasureOrder = Readonly<{
  userId: UserId
  by: string
  reason: string
  isDryRun: boolean
  goesAhead: (tx: Tx, texts: readonly string[]) => Promise<boolean>
  mentions?: PlayerMentions
}>

const RANDOM_ID_BYTES = 15
/** So many orders as these players have are read in some seconds: no statement may take 30. */
const RANGE_PLAYERS = 50_000
/** Shorter texts occur by chance. */
const TEXT_LENGTH_MIN = 4

/**
 * Erases a player: see `eraseOne`. Idempotent. `data` is unvalidated input. Errors: InvalidInput, also for a reason that names the player; NotFound;
 * Unavailable, also if there is no key yet.
 * Source: docs/privacy.md; decisions 133 and 216
 */
export async function erasePlayer(
  deps: Deps,
  { idOrHandle, by, isDryRun }: ErasureRequest,
  data: unknown,
  deadlineAt: number,
): Promise<Erasure> {
  const { reason } = readRecord(erasureFields, data, 'data')
  const userId = deps.handles.idIn(idOrHandle)
  const goesAhead = async (_: Tx, texts: readonly string[]) => {
    assertNamesNobody(reason, texts)
    return true
  }
  // What was answered until now is deleted with the rest.
  await deps.predictions.flushAll()
  const erased = await eraseOne(deps, { userId, by, reason, isDryRun, goesAhead }, deadlineAt)
  if (erased === undefined) throw new NotFound(`player ${shortened(idOrHandle)} not found`)
  return erased
}

/**
 * In one transaction: blanks what identifies a player, deletes kept predictions, voids open holds. Entries, amounts and points stay. An id that is an
 * e-mail address or a phone number is replaced by a random one. Undefined if the player is unknown, or `goesAhead` says no. Errors: those of
 * `goesAhead`; Unavailable, also if there is no key yet.
 */
export async function eraseOne(
  { db, now, handles, erasureKey }: Pick<Deps, 'db' | 'now' | 'handles' | 'erasureKey'>,
  { userId, by, reason, isDryRun, goesAhead, mentions }: ErasureOrder,
  deadlineAt: number,
): Promise<Erasure | undefined> {
  const key = isDryRun ? undefined : erasureKey.make()
  const at = now().toISOString()
  const newId = isPersonalId(userId) ? `erased-${randomBytes(RANDOM_ID_BYTES).toString('base64url')}` : userId
  const isMoved = newId !== userId
  const change = async (tx: Tx): Promise<RecordedChange<Erasure | undefined>> => {
    const unchanged = (response: Erasure | undefined) => ({ response, record: undefined })
    const person = await lockPerson(tx, userId)
    if (person === undefined || person.is_erased) {
      const movedTo = person === undefined ? (await findReplacedIds(tx, erasureKey, [userId])).get(userId) : userId
      return unchanged(movedTo && { userId: movedTo, isMoved: movedTo !== userId, counts: undefined })
    }
    const texts = textsOf(person, userId)
    if (!(await goesAhead(tx, texts))) return unchanged(undefined)
    if (isMoved && (await isBackfillOpen(tx)))
      throw new Unavailable('entries of an earlier version are still being counted: try again later', {
        retryAfterS: 60,
      })
    await lockCounting(tx)
    const named = { userId, referralCode: person.refer_code, texts }
    const counts = await erasePerson(tx, {
      ...{ ...named, newId, at },
      mentions: await (mentions === undefined
        ? findMentions(tx, [named], idRanges(tx, RANGE_PLAYERS)).then(([found]) => found!)
        : underPresentIds(tx, erasureKey, mentions)),
      jobTexts: [
        ...[person.email, person.phone, person.refer_code].filter(isDistinctive),
        ...(isMoved ? [userId] : []),
      ],
      handles: [handles.of(userId), handles.of(newId)],
    })
    if (key === undefined) throw new DryRun({ userId, isMoved, counts })
    await insertErasure(tx, key, { userId, at, by, movedTo: isMoved ? newId : undefined })
    const response = { userId: newId, isMoved, counts }
    return { response, record: { by, subject: handles.of(newId), detail: { reason } } }
  }
  try {
    return await changeAndRecord(db, { act: 'player-erased', at, deadlineAt }, change)
  } catch (error) {
    if (error instanceof DryRun) return error.erasure
    throw error
  }
}

/** Mentions that were looked up before, under the ids that these players have now: some may have been erased since. */
export async function underPresentIds(
  tx: Tx,
  erasureKey: Deps['erasureKey'],
  mentions: PlayerMentions,
): Promise<PlayerMentions> {
  const replaced = await findReplacedIds(tx, erasureKey, [...mentions.inOrders, ...mentions.asReferrer])
  const now = (ids: readonly UserId[]) => ids.map((id) => replaced.get(id) ?? id)
  return { inOrders: now(mentions.inOrders), asReferrer: now(mentions.asReferrer) }
}

/** Ends the transaction of a dry run, in which nothing may be left. */
class DryRun extends Error {
  readonly erasure: Erasure
  constructor(erasure: Erasure) {
    super('nothing is written in a dry run')
    this.erasure = erasure
  }
}

/** The texts that identify the player on their own, as they may stand elsewhere. */
export function textsOf({ name, email, phone, address, refer_code: code }: Person, userId: UserId): string[] {
  return [name, email, phone, address, code, ...(isPersonalId(userId) ? [userId] : [])].filter(isDistinctive)
}

function isDistinctive(text: string): boolean {
  return text.length >= TEXT_LENGTH_MIN
}

function assertNamesNobody(reason: string, texts: readonly string[]): void {
  if (texts.some((text) => reason.includes(text)))
    throw new InvalidInput('data.reason', 'expected a reason that does not name the player: it is kept')
}
