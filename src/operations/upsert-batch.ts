/*
 * The story that players and products share: the records of a request in, one summary out.
 * As if they were taken one by one, in the order sent (decision 41), but set-based: what is stored is asked first, and only what differs
 * is written, each key once (docs/decisions/0106-bulk-upserts.md).
 */
import type { Row, SentRecords } from '../ingest/batch.ts'
import type { Queryable } from '../store/db.ts'
import { readerOf } from '../store/reader.ts'
import type { Fingerprints } from '../store/rows.ts'
import type { Tx } from '../store/transaction.ts'
import { conclude, slicesOf } from './batches.ts'
import type { Deps } from './deps.ts'
import type { RowNoun } from './row-thread.ts'
import type { UpsertSummary, Verdict } from './upsert-summary.ts'

/** What makes players players and products products. */
export type UpsertStory = Readonly<{
  noun: RowNoun
  /** Whether an unchanged record counts as updated (decision 45) or as skipped (decision 46). */
  unchangedCountsAs: 'updated' | 'skipped'
  listFingerprints: (db: Queryable, keys: readonly string[]) => Promise<Fingerprints>
  /** Writes records that were not stored, in the order of keys; answers the keys that were there after all. */
  insert: (tx: Tx, rows: readonly Row[], at: string) => Promise<readonly string[]>
  /** Writes records that were stored with other values, in the order of keys. */
  update: (tx: Tx, rows: readonly Row[], at: string) => Promise<unknown>
}>

export type UpsertOptions = Readonly<{ details: boolean; dryRun: boolean; deadlineAt: number }>

/**
 * Every valid record is committed before this answers; a bad one is skipped (decisions 42 and 43).
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: send it again.
 */
export async function upsertBatch(
  deps: Deps,
  story: UpsertStory,
  sent: SentRecords,
  options: UpsertOptions,
): Promise<UpsertSummary> {
  const startedAt = performance.now()
  const { accepted, refused } = await deps.rows.read(story.noun, deps.now(), sent)
  const groups = groupsByKey(accepted)
  const lasts = groups.map((group) => group.at(-1)!)
  const stored = await listStored(deps, story, lasts, options.deadlineAt)
  if (!options.dryRun) await write(deps, story, lasts, stored, options.deadlineAt)
  const verdicts = verdictsByPosition(groups, stored)
  const outcome = {
    ...story,
    ...options,
    accepted,
    verdicts: accepted.map(({ position }) => verdicts[position]!),
    refused,
  }
  return conclude(deps, outcome, startedAt)
}

/**
 * The records of each key, in the order sent; keys in their order: two requests that lock the same keys in different order would deadlock.
 * Sorted and not looked up: what comes in order costs a comparison each.
 */
function groupsByKey(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  for (const row of rows.toSorted(byKey)) {
    const group = groups.at(-1)
    if (group?.[0]?.key === row.key) group.push(row)
    else groups.push([row])
  }
  return groups
}

function byKey(a: Row, b: Row): number {
  if (a.key === b.key) return a.position - b.position
  return a.key < b.key ? -1 : 1
}

/** What is stored of each row's key, before this request: its fingerprint, undefined where there is none. */
type Stored = (string | undefined)[]

async function listStored(
  deps: Deps,
  { listFingerprints }: UpsertStory,
  rows: readonly Row[],
  deadlineAt: number,
): Promise<Stored> {
  const reader = readerOf(deps.db, deadlineAt)
  const stored: Stored = []
  for (const slice of slicesOf(rows)) {
    const keys = slice.map(({ key }) => key)
    const found = await listFingerprints(reader, keys)
    for (const key of keys) stored.push(found.get(key))
  }
  return stored
}

/** What each record changes against the one before it of its key; the first against what was stored. */
function verdictsByPosition(groups: readonly Row[][], stored: Stored): Verdict[] {
  const verdicts: Verdict[] = []
  for (const [index, group] of groups.entries()) {
    let before = stored[index]
    for (const { position, fingerprint } of group) {
      verdicts[position] = before === undefined ? 'inserted' : before === fingerprint ? 'unchanged' : 'updated'
      before = fingerprint
    }
  }
  return verdicts
}

/**
 * Writes what differs from what is stored; new records first, then changed ones, so that all requests take their locks in one order.
 * What another request put in meanwhile is noted in `stored`.
 */
async function write(
  { db, now }: Deps,
  { insert, update }: UpsertStory,
  rows: readonly Row[],
  stored: Stored,
  deadlineAt: number,
): Promise<void> {
  const at = now().toISOString()
  const isFresh = (_: Row, index: number) => stored[index] === undefined
  const fresh = slicesOf(rows.filter(isFresh), undefined, db.copyRows)
  const changed = slicesOf(rows.filter(({ fingerprint }, index) => (stored[index] ?? fingerprint) !== fingerprint))
  const there = await db.inSlices(
    [...fresh, ...changed],
    async (tx, slice, position) => {
      if (position < fresh.length) return insert(tx, slice, at)
      await update(tx, slice, at)
      return []
    },
    deadlineAt,
  )
  const late = new Set(there.flat())
  if (late.size === 0) return
  // With which values is not known any more: with others than those sent, for the record counts as updated.
  for (const [index, { key }] of rows.entries()) if (late.has(key)) stored[index] = ''
}
