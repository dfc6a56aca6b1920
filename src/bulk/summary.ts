import type { RecordPlace, RejectedRecord } from '../engine/ingest/batch.ts'
import { shortened } from '../engine/ingest/shown.ts'
import type { Points } from '../engine/points/units.ts'
import type { Scope } from '../scopes.ts'
import type { Observe, RecordType } from '../telemetry/observation.ts'

/**
 * Options of an upsert. `by` is the id of the caller's token, `scopes` are its scopes; `timeoutMs` limits database work, counted from when all
 * records have arrived.
 */
export type UpsertOptions = Readonly<{
  details: boolean
  dryRun: boolean
  /** Of players: an empty field keeps its stored value. */
  keepFilled?: boolean
  by: string
  scopes: ReadonlySet<Scope>
  timeoutMs: number
}>

/** The outcome for a valid record. */
export type RecordVerdict = 'inserted' | 'updated' | 'unchanged'

/** A record that was neither inserted nor updated, and why (decision 47). */
export type RecordDetail = Readonly<{
  position: number
  key?: string
  verdict: 'unchanged' | 'invalid' | NonNullable<RejectedRecord['verdict']>
  path?: string
  error?: string
}>

/** What people should know about a record that was accepted. */
export type RecordNote = Readonly<{
  position: number
  key: string
  kind: 'out-of-order' | 'overpaid' | 'used-again'
  text: string
  /** Of an id used again: the moment of the recorded order. */
  orderedAt?: string
  points?: Points
}>

export type UpsertCounts = Readonly<{ inserted: number; updated: number; skipped: number }>

export type UpsertSummary = Readonly<{
  message: string
  counts: UpsertCounts
  /** Valid records that changed nothing; also counted as updated or skipped (decision 45). */
  unchanged: number
  details?: Readonly<{
    results: readonly RecordDetail[]
    more: number
    notes: readonly RecordNote[]
    moreNotes: number
  }>
  /** Of orders, in a dry run or with details, under a program that looks at history: how many are older than one already recorded. */
  outOfOrder?: number
  /** Of orders, in a dry run or with details: how many are probably other orders than those recorded under their ids. */
  usedAgain?: number
}>

/** The outcomes for all records of one request. */
export type BatchOutcome = Readonly<{
  noun: RecordType
  unchangedCountsAs: 'updated' | 'skipped'
  dryRun: boolean
  details: boolean
  /** The id of the caller's token. */
  by: string
  accepted: readonly RecordPlace[]
  /** One for each accepted record, in the same order. */
  verdicts: readonly RecordVerdict[]
  /** Sorted by position. */
  rejected: readonly RejectedRecord[]
  /** By position; absent where none were asked for. */
  notes?: readonly RecordNote[]
}> &
  Pick<UpsertSummary, 'outOfOrder' | 'usedAgain'>

/** A completed upsert request. */
export type CountedBatch = Readonly<{
  noun: RecordType
  by: string
  counts: UpsertCounts
  unchanged: UpsertSummary['unchanged']
  rejected: readonly RejectedRecord[]
  /** Whether at least one of its records was not refused. */
  isGood: boolean
}>

const NAMED_MAX = 20
const RESULTS_MAX = 1_000

/** What a message calls the ids of skipped records; records of other types are not listed. */
const ID_NAMES: Readonly<Partial<Record<RecordType, string>>> = { players: 'user ids', orders: 'order ids' }

/** The summary of an upsert (specification 2.5): three counts that add up to the records sent, and a sentence (decisions 45 and 47). */
export function summarise(outcome: BatchOutcome): UpsertSummary {
  const { verdicts, rejected } = outcome
  const unchanged = verdicts.filter((verdict) => verdict === 'unchanged').length
  const inserted = verdicts.filter((verdict) => verdict === 'inserted').length
  const updated = verdicts.length - inserted - unchanged
  const counts: UpsertCounts =
    outcome.unchangedCountsAs === 'updated'
      ? { inserted, updated: updated + unchanged, skipped: rejected.length }
      : { inserted, updated, skipped: rejected.length + unchanged }
  // A stale state is not an error: a newer one has been stored.
  const refused = rejected.filter(({ verdict }) => verdict !== 'stale')
  const message = `${outcome.dryRun ? 'Dry run: ' : ''}${sentence(counts)}${namesOf(refused, ID_NAMES[outcome.noun])}${firstOf(refused)}`
  const { notes = [], outOfOrder, usedAgain = 0 } = outcome
  const findings = { ...(outOfOrder === undefined ? {} : { outOfOrder }), ...(usedAgain === 0 ? {} : { usedAgain }) }
  const summary = { message, counts, unchanged, ...findings }
  if (!outcome.details) return summary
  const [results, shownNotes] = [firstAndMore(detailsOf(outcome)), firstAndMore(notes)]
  return {
    ...summary,
    details: { results: results.first, more: results.more, notes: shownNotes.first, moreNotes: shownNotes.more },
  }
}

function firstAndMore<T>(all: readonly T[]): { first: readonly T[]; more: number } {
  return { first: all.slice(0, RESULTS_MAX), more: Math.max(0, all.length - RESULTS_MAX) }
}

/** Reports a request's outcome to log, metrics and statistics, and returns its summary. `startedAt` is in milliseconds of `performance.now()`. */
export function finishBatch(
  {
    observe,
    activity,
  }: Readonly<{ observe: Observe; activity: Readonly<{ countBatch: (batch: CountedBatch) => void }> }>,
  outcome: BatchOutcome,
  startedAt: number,
): UpsertSummary {
  const summary = summarise(outcome)
  const { noun, by, dryRun, accepted, rejected } = outcome
  observe({ kind: 'batch-upserted', noun, dryRun, ...summary.counts, durationMs: performance.now() - startedAt })
  const { counts, unchanged } = summary
  if (!dryRun) activity.countBatch({ noun, by, counts, unchanged, rejected, isGood: accepted.length > 0 })
  return summary
}

function sentence({ inserted, updated, skipped }: UpsertCounts): string {
  return `${records(inserted)} inserted, ${records(updated)} updated, ${records(skipped)} skipped.`
}

function records(count: number): string {
  return count === 1 ? '1 record' : `${count} records`
}

/** Lists the refused records; those without a usable id by position (decision 47). */
function namesOf(refused: readonly RejectedRecord[], idName: string | undefined): string {
  if (refused.length === 0 || idName === undefined) return ''
  const named = refused
    .slice(0, NAMED_MAX)
    .map(({ key, position }) => (key === undefined ? `#${position}` : shortened(key)))
  const more = refused.length > NAMED_MAX ? ` and ${refused.length - NAMED_MAX} more` : ''
  return ` Skipped ${idName}: ${named.join(', ')}${more}.`
}

/** Why the first record was refused, for callers who have not asked for details (decision 47). */
function firstOf([first]: readonly RejectedRecord[]): string {
  if (first === undefined) return ''
  const { path, error } = first
  const field = path.slice(path.lastIndexOf('.') + 1)
  return error.startsWith(`${field} `) ? ` First: ${path}${error.slice(field.length)}.` : ` First: ${path}: ${error}.`
}

/** The skipped records, by position. Unchanged players are not included: they count as updated. */
function detailsOf({ accepted, verdicts, rejected, unchangedCountsAs }: BatchOutcome): RecordDetail[] {
  const invalid = rejected.map(({ position, key, path, error, verdict }): RecordDetail => {
    return { position, ...(key === undefined ? {} : { key }), path, error, verdict: verdict ?? 'invalid' }
  })
  if (unchangedCountsAs === 'updated') return invalid
  const unchanged = accepted.flatMap(({ position, key }, index): RecordDetail[] =>
    verdicts[index] === 'unchanged' ? [{ position, key, verdict: 'unchanged' }] : [],
  )
  return [...unchanged, ...invalid].sort((a, b) => a.position - b.position)
}
