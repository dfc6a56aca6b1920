/*
 * What upserts of players and products share: the records of a request in, one summary out.
 * The result is as if records were applied one by one, in the order sent (decision 40), but the work is set-based: stored fingerprints are
 * looked up first, and only what differs is written, each key once (docs/decisions/0105-batch-writes.md).
 */

import type { Queryable } from '../database/db/driver.ts'
import { ConcurrentUpdate } from '../database/db/failures.ts'
import { readerOf } from '../database/db/reader.ts'
import type { Tx } from '../database/db/transaction.ts'
import type { Deps } from '../deps.ts'
import type { RejectedRecord, Row, SentRecords } from '../engine/ingest/batch.ts'
import type { Values } from '../engine/ingest/row.ts'
import type { StateRefusal } from '../engine/points/ledger/state-versions.ts'
import { dropReplaced, ERASED_FINGERPRINT, findReplacedIds, reopenIds } from '../ledger/erasures.ts'
import { describeStateRefusal, erasedPlayer } from '../ledger/order-refusals.ts'
import { type AppliedStates, applyStates, type Complete, type Fill, type StateVerdict } from './apply-states.ts'
import { type Decision, decidedRecords } from './decided-records.ts'
import type { RowRecordType } from './row-messages.ts'
import type { LateRow, StoredState, statesIn } from './rows.ts'
import { slicesOf } from './slices.ts'
import { finishBatch, type RecordVerdict, type UpsertOptions, type UpsertSummary } from './summary.ts'

/** What differs between players and products. */
export type UpsertTarget = Readonly<{
  noun: RowRecordType
  /** Whether an unchanged record counts as updated (decision 45) or as skipped (decision 45). */
  unchangedCountsAs: 'updated' | 'skipped'
  /** The stored fingerprint of each key, in the order given; undefined if none is stored. */
  listFingerprints: (db: Queryable, keys: readonly string[]) => Promise<readonly (string | undefined)[]>
  /** Writes records that were not stored, sorted by key; returns those that another request has stored meanwhile. */
  insert: (tx: Tx, rows: readonly Row[], at: string) => Promise<readonly LateRow[]>
  /** Writes records that were stored with other values, sorted by key. */
  update: (tx: Tx, rows: readonly Row[], at: string) => Promise<unknown>
  /** The wire's name for the version of a state, and access to the stored versions. */
  versionField: 'State_version' | 'state_version'
  states: ReturnType<typeof statesIn>
  /** Of fingerprints that may say more than the other values: whether one does, and how one that does not is completed from what is stored. */
  marks?: Readonly<{ has: (fingerprint: string) => boolean; complete: Complete }>
  /** Fills each record from what is stored under its key. */
  filling?: Readonly<{ fill: Fill; listValues: (db: Queryable, keys: readonly string[]) => Promise<StoredValues> }>
}>

type StoredValues = ReadonlyMap<string, Values>

/**
 * Every valid record is committed before this returns; invalid ones are skipped (decision 42).
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: safe to retry.
 */
export async function upsertBatch(
  deps: Deps,
  target: UpsertTarget,
  sent: SentRecords,
  options: UpsertOptions,
): Promise<UpsertSummary> {
  const { accepted, rejected, stored, receivedAt } = await readAndLookUp(deps, target, sent, options.timeoutMs)
  const isMarked = ({ fingerprint }: Row) => target.marks?.has(fingerprint) ?? false
  const dependsOnStored = (group: readonly Row[]) =>
    target.filling !== undefined || group.some((row) => row.stateVersion !== undefined || row.rejoins || isMarked(row))
  const groups = Map.groupBy(groupsByKey(accepted), (group) => (dependsOnStored(group) ? 'locked' : 'plain'))
  const [plain, locked] = [groups.get('plain') ?? [], groups.get('locked') ?? []]
  const deadlineAt = receivedAt + options.timeoutMs
  const outcomes = options.dryRun
    ? await previewStates(deps, target, locked, deadlineAt)
    : await write(deps, target, { plain, locked }, stored, deadlineAt)
  const byPosition = verdictsByPosition(plain, stored)
  for (const [index, group] of locked.entries())
    for (const [place, { position }] of group.entries()) byPosition[position] = outcomes[index]!.verdicts[place]!
  const verdicts = accepted.map(({ position }) => byPosition[position]!)
  const settled =
    locked.length === 0 && !verdicts.includes('erased')
      ? { accepted, verdicts: verdicts as RecordVerdict[], rejected }
      : decidedRecords({ accepted, rejected }, verdicts.map(toDecision), (_, refusal) =>
          refusal === 'erased'
            ? { ...erasedPlayer('User_id'), hidesKey: true }
            : describeStateRefusal(refusal, target.versionField),
        )
  return finishBatch(deps, { ...target, ...options, ...settled }, receivedAt)
}

function toDecision(verdict: StateVerdict): Decision<StateRefusal | 'erased'> {
  return verdict === 'stale' || verdict === 'conflict' || verdict === 'erased'
    ? { refused: verdict }
    : { done: verdict }
}

/** The stored fingerprint of each record's key, by the record's position; undefined if none is stored. */
type Stored = (string | undefined)[]

/**
 * Reads the records as they arrive, and looks up those already read in the meantime. `receivedAt` is when the last one had arrived, in
 * milliseconds of `performance.now()`.
 */
async function readAndLookUp(deps: Deps, target: UpsertTarget, sent: SentRecords, timeoutMs: number) {
  const accepted: Row[] = []
  const rejected: RejectedRecord[] = []
  const stored: Stored = []
  const refused = new AbortController()
  let receivedAt = Number.POSITIVE_INFINITY
  const lookUp = async (rows: readonly Row[]) => {
    // What fills the records is read under their locks, and their fingerprints with it.
    if (target.filling !== undefined) return
    for (const slice of slicesOf(rows)) {
      if (refused.signal.aborted) return
      // While the body is arriving, each lookup has the full timeout; after its end, all of them share one.
      const deadlineAt = Math.min(performance.now(), receivedAt) + timeoutMs
      const fingerprints = await target.listFingerprints(
        readerOf(deps.db, deadlineAt),
        slice.map(({ key }) => key),
      )
      for (const [index, { position }] of slice.entries()) stored[position] = fingerprints[index]
      const missing = slice.filter((_, index) => fingerprints[index] === undefined)
      const replaced = await listReplaced(readerOf(deps.db, deadlineAt), deps, target, missing.map(keyOfRow))
      for (const { key, position } of missing) if (replaced.has(key)) stored[position] = ERASED_FINGERPRINT
    }
  }
  // Lookups run one after the other, until one fails.
  let lookedUp = Promise.resolve()
  try {
    for await (const read of deps.rows.read(target.noun, { now: deps.now(), shop: deps.shop() }, sent)) {
      for (const row of read.accepted) accepted.push(row)
      for (const one of read.rejected) rejected.push(one)
      lookedUp = lookedUp.then(() => lookUp(read.accepted))
      // A failed lookup is reported at the end, unless the body turns out to be invalid JSON.
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
 * The records of each key, in the order sent. Keys are sorted, because two requests that lock the same keys in different order could deadlock.
 * Sorting instead of a map, because records that arrive in order cost one comparison each.
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

/** Compares each record with the previous one of its key; the first with what was stored. */
function verdictsByPosition(groups: readonly Row[][], stored: Stored): StateVerdict[] {
  const verdicts: StateVerdict[] = []
  for (const group of groups) {
    let before = stored[group[0]!.position]
    for (const { position, fingerprint } of group) {
      if (before === ERASED_FINGERPRINT) {
        verdicts[position] = 'erased'
        continue
      }
      verdicts[position] = before === undefined ? 'inserted' : before === fingerprint ? 'unchanged' : 'updated'
      before = fingerprint
    }
  }
  return verdicts
}

/**
 * Writes the last record of each key if it differs from what is stored: new records first, then changed ones, so that all requests lock in the
 * same order. Fingerprints that another request has stored meanwhile are put into `stored`. Records that depend on what is stored, which are locked,
 * come last; returns their outcomes.
 */
async function write(
  deps: Deps,
  target: UpsertTarget,
  { plain, locked }: Readonly<{ plain: readonly Row[][]; locked: readonly Row[][] }>,
  stored: Stored,
  deadlineAt: number,
): Promise<AppliedStates[]> {
  const { db } = deps
  const at = deps.now().toISOString()
  const storedOf = (group: readonly Row[]) => stored[group[0]!.position]
  const isChanged = (group: readonly Row[]) => {
    const before = storedOf(group) ?? lastOf(group).fingerprint
    return before !== lastOf(group).fingerprint && before !== ERASED_FINGERPRINT
  }
  const settle = async (tx: Tx, rows: readonly Row[]) => {
    if (target.noun === 'players') await dropReplaced(tx, deps.erasureKey, rows.map(keyOfRow))
  }
  const fresh = slicesOf(plain.filter((group) => storedOf(group) === undefined).map(lastOf), undefined, db.copyRows)
  const changed = slicesOf(plain.filter(isChanged).map(lastOf), undefined, db.changeRows)
  type SliceResult = Readonly<{ late?: readonly LateRow[]; outcomes?: readonly AppliedStates[] }>
  const writes: ((tx: Tx) => Promise<SliceResult>)[] = [
    ...fresh.map((rows) => async (tx: Tx) => {
      const late = await target.insert(tx, rows, at)
      await settle(tx, rows)
      return { late }
    }),
    ...changed.map((rows) => async (tx: Tx) => {
      await target.update(tx, rows, at)
      await settle(tx, rows)
      return {}
    }),
    ...slicesOf(locked, ({ length }) => length, db.changeRows).map((slice) => async (tx: Tx) => ({
      outcomes: await writeStates(tx, deps, target, slice, at),
    })),
  ]
  const results = await db.inSlices(writes, (tx, write) => write(tx), deadlineAt)
  const late = new Map(results.flatMap(({ late = [] }) => late.map(({ key, isChanged }) => [key, isChanged])))
  if (late.size > 0) noteLate(plain, late, stored)
  return results.flatMap(({ outcomes = [] }) => outcomes)
}

/** Puts fingerprints that another request has stored meanwhile into `stored`. */
function noteLate(groups: readonly Row[][], late: ReadonlyMap<string, boolean>, stored: Stored): void {
  for (const group of groups) {
    const { key, position } = group[0]!
    // The values it had are no longer known: an empty string differs from every fingerprint.
    if (late.has(key)) stored[position] = late.get(key) === true ? '' : lastOf(group).fingerprint
  }
}

/**
 * Applies the states of each key under a lock, and writes what has changed. Errors: ConcurrentUpdate if another request has meanwhile stored one
 * of the new keys, after which `Db` runs the transaction again.
 */
async function writeStates(
  tx: Tx,
  deps: Deps,
  target: UpsertTarget,
  groups: readonly Row[][],
  at: string,
): Promise<readonly AppliedStates[]> {
  const keys = groups.map(keyOf)
  const stored = await withReplaced(tx, deps, target, keys, await target.states.lock(tx, keys))
  const rejoining = groups.filter((group) => isErased(stored.get(keyOf(group))) && group.some(({ rejoins }) => rejoins))
  await reopenIds(tx, deps.erasureKey, rejoining.map(keyOf))
  const outcomes = await applied(tx, target, groups, stored)
  const changed = outcomes.flatMap(({ changed = [] }) => changed)
  const isStored = ({ key }: Row) => stored.has(key)
  const fresh = changed.filter((row) => !isStored(row))
  const existing = changed.filter(isStored)
  if (fresh.length > 0 && (await target.insert(tx, fresh, at)).length > 0)
    throw new ConcurrentUpdate('another request has stored the same record')
  if (existing.length > 0) await target.update(tx, existing, at)
  const raised = outcomes.flatMap(({ raisedTo }, index) =>
    raisedTo === undefined ? [] : [{ key: keyOf(groups[index]!), stateVersion: raisedTo }],
  )
  await target.states.raise(tx, raised)
  return outcomes
}

/** A dry run of `writeStates`. */
async function previewStates(
  deps: Deps,
  target: UpsertTarget,
  groups: readonly Row[][],
  deadlineAt: number,
): Promise<AppliedStates[]> {
  const reader = readerOf(deps.db, deadlineAt)
  const outcomes: AppliedStates[] = []
  for (const slice of slicesOf(groups)) {
    const keys = slice.map(keyOf)
    const stored = await withReplaced(reader, deps, target, keys, await target.states.list(reader, keys))
    for (const one of await applied(reader, target, slice, stored)) outcomes.push(one)
  }
  return outcomes
}

/** Applies the states of each key on top of what is stored. */
async function applied(
  db: Queryable,
  { filling, marks }: UpsertTarget,
  groups: readonly Row[][],
  stored: ReadonlyMap<string, StoredState>,
): Promise<AppliedStates[]> {
  const values = await filling?.listValues(db, [...stored.keys()])
  return groups.map((group) => {
    const key = keyOf(group)
    return applyStates(group, stored.get(key), {
      fill: filling?.fill,
      values: values?.get(key),
      complete: marks?.complete,
    })
  })
}

type StoredStates = ReadonlyMap<string, StoredState>

/** The stored states of these keys, with those of players who were erased under another id. */
async function withReplaced(
  db: Queryable,
  deps: Deps,
  target: UpsertTarget,
  keys: readonly string[],
  stored: StoredStates,
): Promise<StoredStates> {
  const replaced = await listReplaced(
    db,
    deps,
    target,
    keys.filter((key) => !stored.has(key)),
  )
  if (replaced.size === 0) return stored
  const erased: StoredState = { fingerprint: ERASED_FINGERPRINT }
  return new Map([...stored, ...[...replaced.keys()].map((key) => [key, erased] as const)])
}

async function listReplaced(
  db: Queryable,
  { erasureKey }: Pick<Deps, 'erasureKey'>,
  { noun }: UpsertTarget,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return noun === 'players' ? findReplacedIds(db, erasureKey, keys) : new Map()
}

function isErased(stored: StoredState | undefined): boolean {
  return stored?.fingerprint === ERASED_FINGERPRINT
}

function keyOfRow({ key }: Row): string {
  return key
}

function keyOf(group: readonly Row[]): string {
  return group[0]!.key
}

function lastOf(group: readonly Row[]): Row {
  return group.at(-1)!
}
