/*
 * Everything that is kept about one person.
 */
import { recordActs } from '../../audit-log/record-acts.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import { listPage, type Page, type PageQuery } from '../../routing/pages.ts'
import type { RouteRequest } from '../../routing/route.ts'
import { type KeptRecord, listKeptRecords } from './store.ts'

/** What each kind of record is, in the order of the export. */
export const KEPT_KINDS = {
  player: 'the player as last sent',
  account: 'sums over the entries',
  figures: 'what the account adds to the points of all accounts',
  order: 'an order in its latest state, with the facts that it is computed with',
  entry: 'points that were added or deducted, and why',
  redemption: 'points held or spent',
  prediction: 'points that an order was predicted to earn',
  difference: 'an order that earned something else than predicted',
  act: 'an entry of the audit log about the player',
} as const

/** A record about a player; that of kind `header` says what each other kind is. */
export type ExportedRecord = Readonly<{
  kind: 'header' | keyof typeof KEPT_KINDS
  record: Readonly<Record<string, unknown>>
}>

/**
 * Lists a page of all that is kept about a player, by id or handle; the first begins with a header. That somebody looks at it is recorded first, and
 * logged (decision 133). Memory is bounded by the page. Errors: NotFound if nothing is kept; InvalidInput, Unavailable.
 */
export async function exportPlayer(
  { db, now, observe, handles }: Pick<Deps, 'db' | 'now' | 'observe' | 'handles'>,
  { caller, requestId, deadlineAt }: Pick<RouteRequest, 'caller' | 'requestId' | 'deadlineAt'>,
  idOrHandle: string,
  query: PageQuery,
): Promise<Page<ExportedRecord>> {
  const userId = handles.idIn(idOrHandle)
  const handle = handles.of(userId)
  const reader = readerOf(db, deadlineAt)
  const { rows, after } = await listPage(
    query,
    ({ place, key }: KeptRecord) => `${place} ${key}`,
    ({ after, limit }) => listKeptRecords(reader, { userId, handle }, lastOf(after), limit),
  )
  const isFirst = query.after === undefined
  if (isFirst && rows.length === 0) throw new NotFound(`player ${shortened(idOrHandle)} not found`)
  await recordActs(
    { db },
    'player-exported',
    { at: now().toISOString(), by: caller.tokenId },
    [{ subject: handle }],
    deadlineAt,
  )
  observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: handle })
  const kinds = Object.keys(KEPT_KINDS) as (keyof typeof KEPT_KINDS)[]
  const records = rows.map(({ place, record }): ExportedRecord => ({ kind: kinds[place - 1]!, record }))
  const header: ExportedRecord = { kind: 'header', record: { user_id: userId, kinds: KEPT_KINDS } }
  return { rows: isFirst ? [header, ...records] : records, after }
}

function lastOf(cursor: string): Readonly<{ place: number; key: string }> {
  const [, place = '0', key = ''] = /^(\d) (.*)$/su.exec(cursor) ?? []
  return { place: Number(place), key }
}
