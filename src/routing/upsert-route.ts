import type { Static, TSchema } from 'typebox'
import type { RecordNote, UpsertOptions, UpsertSummary } from '../bulk/summary.ts'
import type { Deps } from '../deps.ts'
import type { SentRecords } from '../engine/ingest/batch.ts'
import { Type } from '../engine/points/json-schema.ts'
import type { Scope } from '../scopes.ts'
import type { Limits, ListBodyLimits } from './body-limits.ts'
import { stopOnDisconnect } from './client-disconnect.ts'
import { EXAMPLE_SUMMARY } from './example-records.ts'
import type { Description, ListRoute } from './route.ts'
import type { SHARED_RESPONSES } from './shared-responses.ts'

type UpsertName =
  | 'POST /api/integration/players'
  | 'POST /api/integration/products'
  | 'POST /api/integration/orders'
  | 'POST /api/admin/balances'

/** That of orders has fields of its own. */
type UpsertResponse = Static<typeof SHARED_RESPONSES.orderUpsertSummary>

/** Writes the records of a request and counts them. */
export type Upsert = (deps: Deps, records: SentRecords, options: UpsertOptions) => Promise<UpsertSummary>

/** A bulk upsert: its route, its scope, the limits of its body, and the schema of a `record`. */
export type UpsertDescription = Readonly<{
  name: UpsertName
  scope: Scope
  body: ListBodyLimits
  /** The flags that it has besides those of all. */
  flags?: readonly 'keep_filled'[]
  described: Omit<Description<UpsertResponse>, 'data'> & Readonly<{ record: TSchema }>
}>

const IN_GENERAL =
  'Invalid records are skipped (`details=true` says why). If the array is invalid, nothing is written. 200 means committed. Idempotent.'

/** The route of a bulk upsert (specification 4.2 and 4.3, and others like them; decisions 6, 40, 42, 45 and 47). Its response is among `responses`. */
export function upsertRoute(
  responses: Readonly<Record<string, TSchema>>,
  { name, scope, body, flags: moreFlags = [], described: { record, ...described } }: UpsertDescription,
  upsert: Upsert,
  deps: Deps,
  { upsertTimeoutMs }: Pick<Limits, 'upsertTimeoutMs'>,
): ListRoute {
  const [method = '', path = ''] = name.split(' ')
  return {
    methods: [method],
    path,
    scopes: [scope],
    list: body,
    flags: ['details', 'dry_run', 'unchanged', ...moreFlags],
    response: responses[name]!,
    described: {
      ...described,
      description: `${described.description} ${IN_GENERAL}`,
      data: Type.Array(record, { maxItems: body.recordsMax, description: 'the records' }),
    },
    handle: async ({ records, flags, ...request }) => {
      const summary = await upsert(stopOnDisconnect(deps, request), records, {
        details: flags.details === true,
        dryRun: flags.dry_run === true,
        keepFilled: flags.keep_filled === true,
        by: request.caller.tokenId,
        scopes: request.caller.scopes,
        timeoutMs: upsertTimeoutMs,
      })
      return toUpsertResponse(summary, flags.unchanged === true)
    },
  }
}

function toUpsertResponse(
  { message, counts, unchanged, details, outOfOrder, usedAgain }: UpsertSummary,
  showsUnchanged: boolean,
): UpsertResponse {
  const counted = {
    ...{ message, ...counts },
    ...(showsUnchanged ? { unchanged } : {}),
    ...(outOfOrder === undefined ? {} : { out_of_order: outOfOrder }),
    ...(usedAgain === undefined ? {} : { used_again: usedAgain }),
  }
  if (details === undefined) return counted
  const { results, more, notes, moreNotes } = details
  return {
    ...{ ...counted, results },
    ...(more > 0 ? { results_more: more } : {}),
    ...(notes.length === 0 ? {} : { notes: notes.map(noteOf) }),
    ...(moreNotes > 0 ? { notes_more: moreNotes } : {}),
  }
}

function noteOf({ points, orderedAt, ...note }: RecordNote): NonNullable<UpsertResponse['notes']>[number] {
  return {
    ...note,
    ...(points === undefined ? {} : { points: Number(points) }),
    ...(orderedAt === undefined ? {} : { ordered_at: orderedAt }),
  }
}

type RecordDescription = Omit<UpsertDescription['described'], 'tag' | 'example'> & Readonly<{ example: object }>

/** An upsert of the contract; its record type is also its scope. Its example inserts one record. */
export function integrationUpsert(
  noun: 'players' | 'products' | 'orders',
  body: ListBodyLimits,
  { example, ...described }: RecordDescription,
): UpsertDescription {
  return {
    name: `POST /api/integration/${noun}`,
    scope: noun,
    body,
    described: { ...described, tag: 'records', example: { data: [example], response: EXAMPLE_SUMMARY } },
  }
}
