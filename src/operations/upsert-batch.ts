/*
 * The story that players and products share: the records of a request in, one summary out.
 * As if they were taken one by one, in the order sent (decision 41), but set-based: what is stored is asked first, and only what differs
 * is written, each key once (docs/decisions/0106-bulk-upserts.md).
 */
import type { RecordKind, Row, SentRecords } from '../ingest/batch.ts'
import type { Queryable } from '../store/db.ts'
import { readerOf } from '../store/reader.ts'
import type { Stored } from '../store/rows.ts'
import type { Tx } from '../store/transaction.ts'
import type { Noun } from '../telemetry/observation.ts'
import { conclude, readAll, slicesOf } from './batches.ts'
import type { Deps } from './deps.ts'
import type { UpsertSummary, Verdict } from './upsert-summary.ts'

/** What makes players players and products products. */
export type UpsertStory = Readonly<{
  noun: Noun
  kind: RecordKind<Row>
  /** Whether an unchanged record counts as updated (decision 45) or as skipped (decision 46). */
  unchangedCountsAs: 'updated' | 'skipped'
  listFingerprints: (db: Queryable, keys: readonly string[]) => Promise<readonly Stored[]>
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
  const { accepted, refused } = await readAll(sent, story.kind)
  const { lasts, repeated } = onceEach(accepted)
  const stored = await readStored(deps, story, lasts, options.deadlineAt)
  if (!options.dryRun) await write(deps, story, lasts, stored, options.deadlineAt)
  const verdicts = accepted.map((row) => repeated.get(row) ?? verdictOn(row, stored.get(row.key)))
  return conclude(deps, { ...story, ...options, accepted, verdicts, refused }, startedAt)
}

/**
 * The last record of every key, in the order of keys: two requests that lock the same keys in different order would deadlock.
 * With the verdict on every record but the first of its key: what it changes against the one before it.
 */
function onceEach(rows: readonly Row[]): { lasts: Row[]; repeated: ReadonlyMap<Row, Verdict> } {
  const lasts = new Map<string, Row>()
  const repeated = new Map<Row, Verdict>()
  for (const row of rows) {
    const before = lasts.get(row.key)
    if (before !== undefined) repeated.set(row, verdictOn(row, before.fingerprint))
    lasts.set(row.key, row)
  }
  return { lasts: [...lasts.values()].sort((a, b) => (a.key < b.key ? -1 : 1)), repeated }
}

/** What a record changes, where its key had that fingerprint before; undefined: none. */
function verdictOn({ fingerprint }: Row, before: string | undefined): Verdict {
  if (before === undefined) return 'inserted'
  return before === fingerprint ? 'unchanged' : 'updated'
}

/** The fingerprints that are stored, by key. */
type Fingerprints = Map<string, string>

async function readStored(
  deps: Deps,
  { listFingerprints }: UpsertStory,
  rows: readonly Row[],
  deadlineAt: number,
): Promise<Fingerprints> {
  const reader = readerOf(deps.db, deadlineAt)
  const stored: Fingerprints = new Map()
  for (const slice of slicesOf(rows)) {
    const keys = slice.map(({ key }) => key)
    for (const { key, fingerprint } of await listFingerprints(reader, keys)) stored.set(key, fingerprint)
  }
  return stored
}

/**
 * Writes what differs from what is stored; new records first, then changed ones, so that all requests take their locks in one order.
 * What another request wrote in between is noted in `stored`.
 */
async function write(
  { db, now }: Deps,
  { insert, update }: UpsertStory,
  rows: readonly Row[],
  stored: Fingerprints,
  deadlineAt: number,
): Promise<void> {
  const at = now().toISOString()
  const fresh = slicesOf(rows.filter(({ key }) => !stored.has(key)))
  const changed = slicesOf(rows.filter(({ key, fingerprint }) => (stored.get(key) ?? fingerprint) !== fingerprint))
  const there = await db.inSlices(
    [...fresh, ...changed],
    async (tx, slice, position) => {
      if (position < fresh.length) return insert(tx, slice, at)
      await update(tx, slice, at)
      return []
    },
    deadlineAt,
  )
  // With which values is not known any more: with others than those sent, for the record counts as updated.
  for (const key of there.flat()) stored.set(key, '')
}
