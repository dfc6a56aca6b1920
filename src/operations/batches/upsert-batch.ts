/*
 * The work that players and products share: the records of a request in, one summary out.
 * As if they were taken one by one, in the order sent (decision 41), but set-based: what is stored is asked first, and only what differs
 * is written, each key once (docs/decisions/0106-bulk-upserts.md).
 */
import type { RejectedRecord, Row, SentRecords } from '../../ingest/batch.ts'
import type { Queryable } from '../../store/db/driver.ts'
import { readerOf } from '../../store/db/reader.ts'
import type { Tx } from '../../store/db/transaction.ts'
import type { LateRow } from '../../store/rows.ts'
import type { Deps } from '../deps.ts'
import type { RowNoun } from '../workers/row-messages.ts'
import { finishBatch } from './finish-batch.ts'
import { slicesOf } from './slices.ts'
import type { RecordVerdict, UpsertOptions, UpsertSummary } from './summary.ts'

/** What differs between players and products. */
export type UpsertTarget = Readonly<{
  noun: RowNoun
  /** Whether an unchanged record counts as updated (decision 45) or as skipped (decision 46). */
  unchangedCountsAs: 'updated' | 'skipped'
  /** The stored fingerprint of each key, in the order asked; undefined where nothing is stored. */
  listFingerprints: (db: Queryable, keys: readonly string[]) => Promise<readonly (string | undefined)[]>
  /** Writes records that were not stored, in the order of keys; answers those that another request has stored meanwhile. */
  insert: (tx: Tx, rows: readonly Row[], at: string) => Promise<readonly LateRow[]>
  /** Writes records that were stored with other values, in the order of keys. */
  update: (tx: Tx, rows: readonly Row[], at: string) => Promise<unknown>
}>

/**
 * Every valid record is committed before this answers; a bad one is skipped (decisions 42 and 43).
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: send it again.
 */
export async function upsertBatch(
  deps: Deps,
  target: UpsertTarget,
  sent: SentRecords,
  options: UpsertOptions,
): Promise<UpsertSummary> {
  const { accepted, rejected, stored, receivedAt } = await readAndLookUp(deps, target, sent, options.timeoutMs)
  const groups = groupsByKey(accepted)
  if (!options.dryRun) await write(deps, target, groups, stored, receivedAt + options.timeoutMs)
  const byPosition = verdictsByPosition(groups, stored)
  const verdicts = accepted.map(({ position }) => byPosition[position]!)
  return finishBatch(deps, { ...target, ...options, accepted, verdicts, rejected }, receivedAt)
}

/** The stored fingerprint of the key of each record, by its position; undefined where nothing is stored. */
type Stored = (string | undefined)[]

/**
 * Reads the records while they arrive, and meanwhile asks what is stored of those that are read. `receivedAt` is when the last one had
 * arrived, in milliseconds of `performance.now()`.
 */
async function readAndLookUp(deps: Deps, target: UpsertTarget, sent: SentRecords, timeoutMs: number) {
  const accepted: Row[] = []
  const rejected: RejectedRecord[] = []
  const stored: Stored = []
  const refused = new AbortController()
  let receivedAt = Number.POSITIVE_INFINITY
  const lookUp = async (rows: readonly Row[]) => {
    for (const slice of slicesOf(rows)) {
      if (refused.signal.aborted) return
      // While the rest of a body arrives each question has its time; after its end all have one together.
      const deadlineAt = Math.min(performance.now(), receivedAt) + timeoutMs
      const found = await target.listFingerprints(
        readerOf(deps.db, deadlineAt),
        slice.map(({ key }) => key),
      )
      for (const [index, { position }] of slice.entries()) stored[position] = found[index]
    }
  }
  // One after the other, until one fails.
  let lookedUp = Promise.resolve()
  try {
    for await (const read of deps.rows.read(target.noun, deps.now(), sent)) {
      for (const row of read.accepted) accepted.push(row)
      for (const one of read.rejected) rejected.push(one)
      lookedUp = lookedUp.then(() => lookUp(read.accepted))
      // A failure is reported at the end, unless what was sent proves to be no JSON.
      lookedUp.catch(() => undefined)
    }
  } catch (error) {
    refused.abort()
    throw error
  }
  receivedAt = performance.now()
  await lookedUp
  return { accepted, rejected, stored, receivedAt }
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

/** What each record changes against the one before it of its key; the first against what was stored. */
function verdictsByPosition(groups: readonly Row[][], stored: Stored): RecordVerdict[] {
  const verdicts: RecordVerdict[] = []
  for (const group of groups) {
    let before = stored[group[0]!.position]
    for (const { position, fingerprint } of group) {
      verdicts[position] = before === undefined ? 'inserted' : before === fingerprint ? 'unchanged' : 'updated'
      before = fingerprint
    }
  }
  return verdicts
}

/**
 * Writes the last record of each key, where it differs from what is stored; new records first, then changed ones, so that all requests
 * take their locks in one order. What another request has stored meanwhile is put into `stored`.
 */
async function write(
  { db, now }: Deps,
  { insert, update }: UpsertTarget,
  groups: readonly Row[][],
  stored: Stored,
  deadlineAt: number,
): Promise<void> {
  const at = now().toISOString()
  const storedOf = (group: readonly Row[]) => stored[group[0]!.position]
  const isChanged = (group: readonly Row[]) =>
    (storedOf(group) ?? lastOf(group).fingerprint) !== lastOf(group).fingerprint
  const fresh = slicesOf(groups.filter((group) => storedOf(group) === undefined).map(lastOf), undefined, db.copyRows)
  const changed = slicesOf(groups.filter(isChanged).map(lastOf), undefined, db.changeRows)
  const lateRows = await db.inSlices(
    [...fresh, ...changed],
    async (tx, slice, position) => {
      if (position < fresh.length) return insert(tx, slice, at)
      await update(tx, slice, at)
      return []
    },
    deadlineAt,
  )
  const late = new Map(lateRows.flat().map(({ key, isChanged }) => [key, isChanged]))
  if (late.size === 0) return
  for (const group of groups) {
    const { key, position } = group[0]!
    // Its other values are not known any more: no fingerprint is empty.
    if (late.has(key)) stored[position] = late.get(key) === true ? '' : lastOf(group).fingerprint
  }
}

function lastOf(group: readonly Row[]): Row {
  return group.at(-1)!
}
