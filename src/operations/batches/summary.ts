import type { RecordPlace, RejectedRecord } from '../../ingest/batch.ts'
import { shortened } from '../../ingest/shown.ts'
import type { Noun } from '../../telemetry/observation.ts'

/** How a list of records is taken. `timeoutMs` is for the database, and begins when all records have arrived. */
export type UpsertOptions = Readonly<{ details: boolean; dryRun: boolean; timeoutMs: number }>

/** What became of a valid record. */
export type RecordVerdict = 'inserted' | 'updated' | 'unchanged'

/** A record that was neither inserted nor updated, and why (decision 49). */
export type RecordDetail = Readonly<{
  position: number
  key?: string
  verdict: 'unchanged' | 'invalid' | 'stale' | 'conflict'
  path?: string
  error?: string
}>

export type UpsertCounts = Readonly<{ inserted: number; updated: number; skipped: number }>

export type UpsertSummary = Readonly<{
  message: string
  counts: UpsertCounts
  /** Valid records that changed nothing; also counted as updated or skipped (decisions 45 and 46). */
  unchanged: number
  details?: Readonly<{ results: readonly RecordDetail[]; more: number }>
}>

/** What became of the records of one request. */
export type BatchOutcome = Readonly<{
  noun: Noun
  unchangedCountsAs: 'updated' | 'skipped'
  dryRun: boolean
  details: boolean
  accepted: readonly RecordPlace[]
  /** One for each accepted record, in the same order. */
  verdicts: readonly RecordVerdict[]
  /** In the order of positions. */
  rejected: readonly RejectedRecord[]
}>

const NAMED_MAX = 20
const RESULTS_MAX = 1_000

/** The answer to an upsert (specification 2.5): three counts that add up to the records sent, and a sentence (decisions 45 to 49). */
export function summarise(outcome: BatchOutcome): UpsertSummary {
  const { verdicts, rejected } = outcome
  const unchanged = verdicts.filter((verdict) => verdict === 'unchanged').length
  const inserted = verdicts.filter((verdict) => verdict === 'inserted').length
  const updated = verdicts.length - inserted - unchanged
  const counts: UpsertCounts =
    outcome.unchangedCountsAs === 'updated'
      ? { inserted, updated: updated + unchanged, skipped: rejected.length }
      : { inserted, updated, skipped: rejected.length + unchanged }
  const message = `${outcome.dryRun ? 'Dry run: ' : ''}${sentence(counts)}${outcome.noun === 'players' ? skippedIds(rejected) : ''}`
  if (!outcome.details) return { message, counts, unchanged }
  const results = detailsOf(outcome)
  return {
    message,
    counts,
    unchanged,
    details: { results: results.slice(0, RESULTS_MAX), more: Math.max(0, results.length - RESULTS_MAX) },
  }
}

function sentence({ inserted, updated, skipped }: UpsertCounts): string {
  return `${records(inserted)} inserted, ${records(updated)} updated, ${records(skipped)} skipped.`
}

function records(count: number): string {
  return count === 1 ? '1 record' : `${count} records`
}

/** Which players were skipped; one without a usable id by its position (decision 47). One that came too late is as it should be. */
function skippedIds(allRejected: readonly RejectedRecord[]): string {
  const rejected = allRejected.filter(({ verdict }) => verdict !== 'stale')
  if (rejected.length === 0) return ''
  const named = rejected
    .slice(0, NAMED_MAX)
    .map(({ key, position }) => (key === undefined ? `#${position}` : shortened(key)))
  const more = rejected.length > NAMED_MAX ? ` and ${rejected.length - NAMED_MAX} more` : ''
  return ` Skipped user ids: ${named.join(', ')}${more}.`
}

/** The skipped records by position. Unchanged players are not among them: they count as updated. */
function detailsOf({ accepted, verdicts, rejected, unchangedCountsAs }: BatchOutcome): RecordDetail[] {
  const invalid = rejected.map((record): RecordDetail => ({ ...record, verdict: record.verdict ?? 'invalid' }))
  if (unchangedCountsAs === 'updated') return invalid
  const unchanged = accepted.flatMap(({ position, key }, index): RecordDetail[] =>
    verdicts[index] === 'unchanged' ? [{ position, key, verdict: 'unchanged' }] : [],
  )
  return [...unchanged, ...invalid].sort((a, b) => a.position - b.position)
}
