import { Type } from 'typebox'
import type { SentRecords } from '../../ingest/batch.ts'
import { type RecordFields, schemaOf } from '../../ingest/record.ts'
import type { Scope } from '../../ingest/token.ts'
import type { UpsertOptions, UpsertSummary } from '../../operations/batches/summary.ts'
import type { Deps } from '../../operations/deps.ts'
import type { Limits, ListRoute } from '../route.ts'

const BODY_TIMEOUT_MS = 10 * 60 * 1_000
const BODY_BYTES_PER_SECOND_MIN = 64 * 1024

type Upsert = (deps: Deps, records: SentRecords, options: UpsertOptions) => Promise<UpsertSummary>

/** Where a bulk upsert lives: at which path, under which scope, and what it does. */
export type UpsertPlace = Readonly<{ path: string; scope: Scope; summary: string }>

/** A bulk upsert (specification 4.2 and 4.3, others alike; decisions 6 and 40 to 49). */
export function upsertRoute(
  { path, scope, summary }: UpsertPlace,
  fields: RecordFields,
  upsert: Upsert,
  deps: Deps,
  limits: Limits,
): ListRoute {
  return {
    methods: ['POST'],
    path,
    scope,
    list: {
      bytesMax: limits.upsertBodyBytesMax,
      timeoutMs: BODY_TIMEOUT_MS,
      bytesPerSecondMin: BODY_BYTES_PER_SECOND_MIN,
      recordsMax: limits.batchRecordsMax,
    },
    flags: ['details', 'dry_run'],
    described: {
      summary,
      data: Type.Array(schemaOf(fields), { maxItems: limits.batchRecordsMax }),
      answer: Type.Object({
        message: Type.String(),
        inserted: Type.Integer(),
        updated: Type.Integer(),
        skipped: Type.Integer(),
        results: Type.Optional(
          Type.Array(Type.Object({}), { description: 'with details=true: every skipped record with its reason' }),
        ),
        results_more: Type.Optional(Type.Integer({ description: 'how many more there are than results holds' })),
      }),
    },
    handle: async ({ records, flags }) => {
      const summary = await upsert(deps, records, {
        details: flags.details === true,
        dryRun: flags.dry_run === true,
        timeoutMs: limits.upsertTimeoutMs,
      })
      return { message: summary.message, ...summary.counts, ...detailsOf(summary) }
    },
  }
}

function detailsOf({ details }: UpsertSummary) {
  if (details === undefined) return {}
  return { results: details.results, ...(details.more > 0 ? { results_more: details.more } : {}) }
}
