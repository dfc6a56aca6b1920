/*
 * Pagination: reads the query parameters of a page, and computes the cursor of the next one.
 */

import { type InstantKey, type InstantPage, NEWEST } from '../database/db/instant-page.ts'
import type { KeyPage } from '../database/db/key-page.ts'
import { key } from '../engine/ingest/fields.ts'
import type { Handles } from '../engine/ingest/handles.ts'
import { HANDLE_PREFIX } from '../engine/ingest/player-key.ts'
import { optional, readRecord } from '../engine/ingest/record.ts'
import { shown } from '../engine/ingest/shown.ts'
import { InvalidInput } from '../errors.ts'

/** `limit`: 1 to 500, 50 if absent; `after`: the cursor from the previous page, absent for the first. */
export type PageQuery = Readonly<{ limit?: string | undefined; after?: string | undefined }>

/** `after` is the cursor of the next page; null on the last one. */
export type Page<Row> = Readonly<{ rows: readonly Row[]; after: string | null }>

const PAGE_ROWS = 50
const PAGE_ROWS_MAX = 500
const TIME_CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(.+)$/su

const prefixFields = { prefix: optional('prefix', key, '') }

/** How the last key of a page is written as its cursor, and read again; undefined for a text that is no cursor. */
type Cursors = Readonly<{ of: (lastKey: string) => string; keyIn: (cursor: string) => string | undefined }>

/** For keys that callers see anyway: the key, encoded. */
const PLAIN_CURSORS: Cursors = { of: cursorOf, keyIn: keyInCursor }

/**
 * A page of what `list` returns, which is asked for one extra row to detect the last page. A cursor is the last key of its page, written by
 * `cursors`. Errors: InvalidInput for an invalid limit, cursor or prefix; those of `list`.
 */
export async function listPage<Row>(
  query: PageQuery & Readonly<{ prefix?: string | undefined }>,
  keyOf: (row: Row) => string,
  list: (page: KeyPage) => Promise<readonly Row[]>,
  cursors = PLAIN_CURSORS,
): Promise<Page<Row>> {
  const limit = readLimit(query.limit)
  const after = query.after === undefined ? '' : (cursors.keyIn(query.after) ?? refuseCursor(query.after))
  const { prefix } = readRecord(prefixFields, query, 'query')
  const fetched = await list({ after, prefix, limit: limit + 1 })
  const rows = fetched.slice(0, limit)
  return { rows, after: fetched.length > limit ? cursors.of(keyOf(rows.at(-1)!)) : null }
}

/** For keys that are players' ids: a cursor reveals nothing of them (decision 218). */
export function playerCursors(handles: Handles): Cursors {
  const start = HANDLE_PREFIX.length
  return {
    of: (userId) => handles.of(userId).slice(start),
    keyIn: (cursor) => {
      const handle = HANDLE_PREFIX + cursor
      const userId = handles.idIn(handle)
      return userId === handle ? undefined : userId
    },
  }
}

/** The same for a list that is newest first. Errors: InvalidInput for an invalid limit or cursor; those of `list`. */
export async function listPageByTime<Row>(
  query: PageQuery,
  keyOf: (row: Row) => InstantKey,
  list: (page: InstantPage) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const limit = readLimit(query.limit)
  const before = query.after === undefined ? NEWEST : readTimeCursor(query.after)
  const fetched = await list({ before, limit: limit + 1 })
  const rows = fetched.slice(0, limit)
  if (fetched.length <= limit) return { rows, after: null }
  const { at, id } = keyOf(rows.at(-1)!)
  return { rows, after: cursorOf(`${at}${id}`) }
}

/** Reads the number of rows of a page. Errors: InvalidInput with path `query.limit`. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return PAGE_ROWS
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > PAGE_ROWS_MAX)
    throw new InvalidInput('query.limit', `expected an integer between 1 and ${PAGE_ROWS_MAX}, got ${shown(text)}`)
  return limit
}

/** Errors: InvalidInput with path `query.after`. */
export function refuseCursor(text: string): never {
  throw new InvalidInput('query.after', `expected the after cursor of the previous page, got ${shown(text)}`)
}

/** Whether a moment as `toISOString` writes it exists and is one that PostgreSQL stores: `Date.parse` takes 30 February and the year 0. */
export function isStorable(instant: string): boolean {
  const parsed = Date.parse(instant)
  return !Number.isNaN(parsed) && new Date(parsed).toISOString() === instant && instant >= '0001'
}

function cursorOf(lastKey: string): string {
  return Buffer.from(lastKey).toString('base64url')
}

function keyInCursor(text: string): string | undefined {
  const lastKey = Buffer.from(text, 'base64url').toString()
  // NUL is the only character that the database rejects.
  return lastKey === '' || lastKey.includes('\0') || cursorOf(lastKey) !== text ? undefined : lastKey
}

function readTimeCursor(text: string): InstantKey {
  const [, at = '', id = ''] = TIME_CURSOR.exec(keyInCursor(text) ?? '') ?? refuseCursor(text)
  return isStorable(at) ? { at, id } : refuseCursor(text)
}
