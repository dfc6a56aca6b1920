/*
 * The story that orders and adjustments share: a list that changes the ledger, slice after slice, and one summary.
 */
import type { Accepted, RejectedRecord } from '../../ingest/batch.ts'
import type { LedgerChange } from '../../points/ledger/overlay.ts'
import type { Queryable } from '../../store/db/driver.ts'
import { readerOf } from '../../store/db/reader.ts'
import { writeToLedger } from '../../store/ledger.ts'
import type { Noun } from '../../telemetry/observation.ts'
import type { Deps } from '../deps.ts'
import { conclude, slicesOf } from './read-batch.ts'
import type { RecordVerdict, UpsertSummary } from './summary.ts'

/** What is decided on a record: what was done, or why not. */
export type Decision = Readonly<{ refused: unknown } | { done: RecordVerdict }>

/** What makes orders orders and adjustments adjustments. */
export type LedgerStory<T, Decided extends Decision> = Readonly<{
  noun: Noun
  /** The moment of the request. */
  at: string
  /** What a record weighs in a slice, which is read, computed and written together. */
  weightOf: (record: T) => number
  userIdOf: (record: T) => string
  /** Whether a record may change the account of somebody whom it does not name. */
  isAboutOthers: (record: T) => boolean
  /** Takes the accounts that these records may write, all at once and in one order. */
  lock: (tx: Queryable, records: readonly T[]) => Promise<void>
  /** Reads what the slice needs, with what was laid on top, and decides on each of its records. */
  compute: (db: Queryable, slice: readonly T[]) => Promise<LedgerChange & { readonly verdicts: readonly Decided[] }>
  /** In a dry run nothing is written: lays what a slice comes to over what the next one reads. */
  lay: (change: LedgerChange) => void
  /** Which field of the wire a refusal is about, and what to do. */
  describe: (record: T, refused: Extract<Decided, { refused: unknown }>['refused']) => { field: string; error: string }
}>

/**
 * Decides on every accepted record in the order sent, writes unless it is a dry run, and answers the summary and the decisions.
 * Errors: Unavailable: send it again.
 */
export async function runLedgerBatch<T, Decided extends Decision>(
  deps: Deps,
  story: LedgerStory<T, Decided>,
  { accepted, refused }: { accepted: readonly Accepted<T>[]; refused: readonly RejectedRecord[] },
  options: Readonly<{ details: boolean; dryRun: boolean; deadlineAt: number }>,
): Promise<{ summary: UpsertSummary; verdicts: readonly Decided[] }> {
  const startedAt = performance.now()
  const slices = slicesOf(
    accepted.map(({ record }) => record),
    story.weightOf,
  )
  const verdicts = options.dryRun
    ? await foresee(deps, story, slices, options.deadlineAt)
    : await write(deps, story, slices, options.deadlineAt)
  const done: { sent: Accepted<T>; verdict: RecordVerdict }[] = []
  const late: RejectedRecord[] = []
  for (const [index, decided] of verdicts.entries()) {
    const sent = accepted[index]!
    if ('done' in decided) done.push({ sent, verdict: decided.done })
    else late.push(refusal(sent, story.describe(sent.record, decided.refused as never)))
  }
  const outcome = {
    noun: story.noun,
    unchangedCountsAs: 'skipped',
    ...options,
    accepted: done.map(({ sent }) => sent),
    verdicts: done.map(({ verdict }) => verdict),
    refused: [...refused, ...late].sort((a, b) => a.position - b.position),
  } as const
  return { summary: conclude(deps, outcome, startedAt), verdicts }
}

async function write<T, Decided extends Decision>(
  deps: Deps,
  story: LedgerStory<T, Decided>,
  slices: readonly (readonly T[])[],
  deadlineAt: number,
): Promise<Decided[]> {
  const records = slices.flat()
  // One slice writes its accounts all at once and in one order: it needs no lock, unless others write to them, too.
  let isLocking = slices.length > 1 || records.some(story.isAboutOthers)
  const lock = async (tx: Queryable) => {
    if (isLocking) await story.lock(tx, records)
    isLocking = true
  }
  const act = () =>
    deps.db.inSlices(
      slices,
      async (tx, slice) => {
        const outcome = await story.compute(tx, slice)
        await writeToLedger(tx, outcome, story.at)
        return outcome.verdicts
      },
      deadlineAt,
      lock,
    )
  const verdicts = deps.db.hasOtherWriters
    ? await deps.playerTurns(new Set(records.map(story.userIdOf)), deadlineAt, act)
    : await act()
  return verdicts.flat()
}

async function foresee<T, Decided extends Decision>(
  deps: Deps,
  story: LedgerStory<T, Decided>,
  slices: readonly (readonly T[])[],
  deadlineAt: number,
): Promise<Decided[]> {
  const reader = readerOf(deps.db, deadlineAt)
  const verdicts: Decided[] = []
  for (const slice of slices) {
    const outcome = await story.compute(reader, slice)
    story.lay(outcome)
    verdicts.push(...outcome.verdicts)
  }
  return verdicts
}

function refusal(
  { position, key }: Accepted<unknown>,
  { field, error }: { field: string; error: string },
): RejectedRecord {
  return { position, key, path: `data[${position}].${field}`, error }
}
