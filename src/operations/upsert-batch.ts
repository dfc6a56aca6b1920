/*
 * The story that players and products share: a list of raw records in, one summary out.
 * As if the records were taken one by one, in the order sent (decision 41), but set-based: two waves are enough.
 */
import { type Fingerprinted, type RecordKind, readList } from '../ingest/batch.ts'
import type { Queryable } from '../store/db.ts'
import type { Stored, Written } from '../store/players.ts'
import { readerOf } from '../store/reader.ts'
import type { Noun } from '../telemetry/observation.ts'
import { conclude, readAll, slicesOf } from './batches.ts'
import type { Deps } from './deps.ts'
import type { UpsertSummary, Verdict } from './upsert-summary.ts'

/** What makes players players and products products. */
export type UpsertStory<T> = Readonly<{
  noun: Noun
  kind: RecordKind<Fingerprinted<T>>
  /** Whether an unchanged record counts as updated (decision 45) or as skipped (decision 46). */
  unchangedCountsAs: 'updated' | 'skipped'
  write: (tx: Queryable, records: readonly Fingerprinted<T>[], at: string) => Promise<readonly Written[]>
  listFingerprints: (db: Queryable, keys: readonly string[]) => Promise<readonly Stored[]>
}>

export type UpsertOptions = Readonly<{ details: boolean; dryRun: boolean; deadlineAt: number }>

/**
 * Every valid record is committed before this answers; a bad one is skipped (decisions 42 and 43).
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: send it again.
 */
export async function upsertBatch<T>(
  deps: Deps,
  story: UpsertStory<T>,
  data: unknown,
  options: UpsertOptions,
): Promise<UpsertSummary> {
  const startedAt = performance.now()
  const { accepted, refused } = await readAll(readList(data, deps.batchRecordsMax), story.kind)
  const waves = wavesOf(accepted)
  const firstVerdicts = options.dryRun
    ? await foresee(deps, story, waves, options)
    : await write(deps, story, waves, options)
  const verdicts = accepted.map((record) => waves.repeated.get(record) ?? firstVerdicts.get(record.key) ?? 'unchanged')
  return conclude(deps, { ...story, ...options, accepted, verdicts, refused }, startedAt)
}

type Waves<T> = Readonly<{
  /** The first record of every key, in the order of keys: what the database decides. */
  firsts: readonly Fingerprinted<T>[]
  /** The last record of every key that was sent more than once, in the order of keys. */
  lasts: readonly Fingerprinted<T>[]
  /** The verdict on every record but the first of its key: what it changes against the one before it. */
  repeated: ReadonlyMap<Fingerprinted<T>, Verdict>
}>

function wavesOf<T>(accepted: readonly Fingerprinted<T>[]): Waves<T> {
  const firsts = new Map<string, Fingerprinted<T>>()
  const lasts = new Map<string, Fingerprinted<T>>()
  const repeated = new Map<Fingerprinted<T>, Verdict>()
  for (const record of accepted) {
    const before = lasts.get(record.key) ?? firsts.get(record.key)
    if (before === undefined) {
      firsts.set(record.key, record)
      continue
    }
    lasts.set(record.key, record)
    repeated.set(record, before.fingerprint === record.fingerprint ? 'unchanged' : 'updated')
  }
  return { firsts: byKey(firsts), lasts: byKey(lasts), repeated }
}

/** One order for everybody: two requests that lock the same keys in different order would deadlock. */
function byKey<T>(records: ReadonlyMap<string, Fingerprinted<T>>): Fingerprinted<T>[] {
  return [...records.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

type FirstVerdicts = ReadonlyMap<string, Verdict>

async function write<T>(
  deps: Deps,
  story: UpsertStory<T>,
  waves: Waves<T>,
  { deadlineAt }: UpsertOptions,
): Promise<FirstVerdicts> {
  const at = deps.now().toISOString()
  const firstSlices = slicesOf(waves.firsts)
  const written = await deps.db.inSlices(
    [...firstSlices, ...slicesOf(waves.lasts)],
    (tx, slice) => story.write(tx, slice, at),
    deadlineAt,
  )
  const firstWave = written.slice(0, firstSlices.length).flat()
  return new Map(firstWave.map(({ key, inserted }) => [key, inserted ? 'inserted' : 'updated']))
}

async function foresee<T>(
  deps: Deps,
  story: UpsertStory<T>,
  waves: Waves<T>,
  { deadlineAt }: UpsertOptions,
): Promise<FirstVerdicts> {
  const reader = readerOf(deps.db, deadlineAt)
  const verdicts = new Map<string, Verdict>()
  for (const slice of slicesOf(waves.firsts)) {
    const stored = await story.listFingerprints(
      reader,
      slice.map(({ key }) => key),
    )
    const fingerprints = new Map(stored.map(({ key, fingerprint }) => [key, fingerprint]))
    for (const { key, fingerprint } of slice) {
      const known = fingerprints.get(key)
      verdicts.set(key, known === undefined ? 'inserted' : known === fingerprint ? 'unchanged' : 'updated')
    }
  }
  return verdicts
}
