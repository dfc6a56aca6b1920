import type { UpsertOptions, UpsertSummary } from '../../bulk/summary.ts'
import { type UpsertTarget, upsertBatch } from '../../bulk/upsert-batch.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import type { SentRecords } from '../../engine/ingest/batch.ts'
import { withIdIn } from '../../engine/ingest/handles.ts'
import { readPlayerSearch } from '../../engine/ingest/player.ts'
import { filledFrom } from '../../engine/ingest/player-kind.ts'
import { hasMarks, withMarksOf } from '../../engine/ingest/player-marks.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import { listPage, type Page, type PageQuery, playerCursors } from '../../routing/pages.ts'
import {
  findPlayer,
  findPlayersBy,
  insertPlayerRows,
  listPlayerFingerprints,
  listPlayerPage,
  listPlayerValues,
  playerStates,
  type StoredPlayer,
  upsertPlayerRows,
} from './store.ts'

/** Lists a page of players by user id. `prefix` is how their ids begin, case included. Errors: InvalidInput, Unavailable. */
export async function listPlayers(
  { db, handles }: Pick<Deps, 'db' | 'handles'>,
  query: PageQuery & Readonly<{ prefix?: string | undefined }>,
  deadlineAt: number,
): Promise<Page<StoredPlayer>> {
  const reader = readerOf(db, deadlineAt)
  return listPage(
    query,
    ({ user_id }) => user_id,
    (page) => listPlayerPage(reader, page),
    playerCursors(handles),
  )
}

/**
 * Searches for players who match any of the terms: a user id or a referral code exactly, an e-mail address in any case, a phone number with
 * or without its plus (decision 122). Returns a page of them, by user id. Errors: InvalidInput, Unavailable.
 */
export async function searchPlayers(
  { db, handles }: Pick<Deps, 'db' | 'handles'>,
  data: unknown,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<StoredPlayer>> {
  const search = readPlayerSearch(withIdIn(data, 'user_id', handles))
  return listPage(
    query,
    ({ user_id }) => user_id,
    (page) => db.transaction((tx) => findPlayersBy(tx, search, page), deadlineAt),
    playerCursors(handles),
  )
}

/** A player as stored, by id or handle. Errors: NotFound if unknown; Unavailable. */
export async function showPlayer(
  { db, handles }: Pick<Deps, 'db' | 'handles'>,
  idOrHandle: string,
  deadlineAt: number,
): Promise<StoredPlayer> {
  const player = await findPlayer(readerOf(db, deadlineAt), handles.idIn(idOrHandle))
  if (player === undefined) throw new NotFound(`player ${shortened(idOrHandle)} not found`)
  return player
}

const target: UpsertTarget = {
  noun: 'players',
  unchangedCountsAs: 'updated',
  versionField: 'State_version',
  listFingerprints: listPlayerFingerprints,
  insert: insertPlayerRows,
  update: upsertPlayerRows,
  states: playerStates,
  marks: { has: hasMarks, complete: withMarksOf },
}

/** With the stored value of each field that is sent empty. */
const fillingTarget: UpsertTarget = { ...target, filling: { fill: filledFrom, listValues: listPlayerValues } }

/**
 * Inserts new players and updates known ones (specification 4.2; decisions 40, 42, 45, 47 and 50). With `keepFilled`, a field that is empty keeps its stored
 * value (decision 123).
 */
export async function upsertPlayers(
  deps: Deps,
  sent: SentRecords,
  { keepFilled, ...options }: UpsertOptions,
): Promise<UpsertSummary> {
  return upsertBatch(deps, keepFilled ? fillingTarget : target, sent, options)
}

/** Clears the version of a player's state. Whether it had one; undefined if there is no such player. */
export async function forgetPlayerVersion(tx: Queryable, key: string): Promise<boolean | undefined> {
  return await playerStates.forget(tx, key)
}
