import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { formerRoute } from '../../routing/former-route.ts'
import { cachedResponses } from '../../routing/response-cache.ts'
import type { Description, Route } from '../../routing/route.ts'
import type { HeapUsage } from '../../telemetry/process-metrics.ts'
import { ACTIVITY_RESPONSES } from './responses.ts'
import {
  type ServiceReport,
  showFeedRefusals,
  showFeeds,
  showService,
  showUnknownProducts,
  type Times,
} from './service.ts'
import { TIME_BOUNDS_MS } from './store.ts'

const AS_OF = '2026-06-01T12:00:00.000Z'
const DAYS = { from: '2026-05-03', to: '2026-06-01' } as const

const DESCRIBED = {
  sources: {
    operationId: 'listSources',
    tag: 'statistics',
    summary: 'Get import activity',
    description: 'By record type and token: last success, usual interval, record counts.',
    example: { response: { as_of: AS_OF, ...DAYS, sources: [] } },
  },
  refusals: {
    operationId: 'listSourceRefusals',
    tag: 'statistics',
    summary: 'Get refusal reasons',
    description: 'By field and reason, without the values sent.',
    example: { response: { as_of: AS_OF, ...DAYS, refusals: [] } },
  },
  unknown: {
    operationId: 'listUnknownProducts',
    tag: 'statistics',
    summary: 'List products missing from the catalogue',
    description: 'Most frequent first: the number of orders, at their first recording, and of predictions with them.',
    example: {
      response: {
        as_of: AS_OF,
        products: [
          {
            sku: 'MUG-9',
            orders: 1,
            predictions: 2,
            first_named_at: '2026-06-01T10:00:00.000Z',
            last_named_at: '2026-06-01T12:00:00.000Z',
            order_id: 'o-1',
            quality: 'counted',
          },
        ],
      },
    },
  },
  service: {
    operationId: 'showService',
    tag: 'statistics',
    summary: 'Get request counts, outcomes and durations',
    description:
      'By minute for 3 days, by hour for 90; percentiles are the upper bounds of the counts. `process` is the responding one, if there are several.',
    example: {
      response: {
        as_of: AS_OF,
        since: '2026-06-01T11:01:00.000Z',
        per: 'minute',
        bounds_ms: [...TIME_BOUNDS_MS],
        quality: 'counted',
        routes: [],
        times: [],
        process: {
          started_at: '2026-06-01T08:00:00.000Z',
          heap: { bytes: 92_000_000, max_bytes: 4_345_298_944 },
          database_heap: { bytes: 134_217_728, max_bytes: 2_147_483_648 },
          retries: 0,
        },
        last_backup_at: null,
      },
    },
  },
} as const satisfies Record<string, Description>

type Sources = Static<(typeof ACTIVITY_RESPONSES)['GET /api/admin/sources']>
type Refusals = Static<(typeof ACTIVITY_RESPONSES)['GET /api/admin/sources/:record_type/refusals']>

/** What arrives, and how the service is doing (docs/statistics.md). */
export function adminActivityRoutes(deps: Deps): Route[] {
  const sources = adminRoute(
    ACTIVITY_RESPONSES,
    'GET /api/admin/sources',
    ['read'],
    { texts: ['from', 'to'], rows: 'sources', described: DESCRIBED.sources },
    cachedResponses(
      deps.now,
      ({ sources }) => sources.length,
      async ({ texts, deadlineAt }) => {
        const { asOf, feeds, ...days } = await showFeeds(deps, texts, deadlineAt)
        const sources = feeds.map(({ noun, ...feed }) => counted({ record_type: noun, ...feed }))
        return { as_of: asOf, ...days, sources: sources as Sources['sources'] }
      },
    ),
  )
  const refusals = adminRoute(
    ACTIVITY_RESPONSES,
    'GET /api/admin/sources/:record_type/refusals',
    ['read'],
    { texts: ['from', 'to'], rows: 'refusals', described: DESCRIBED.refusals },
    async ({ params, texts, deadlineAt }) => {
      const { asOf, refusals, ...days } = await showFeedRefusals(deps, params.record_type!, texts, deadlineAt)
      return { as_of: asOf, ...days, refusals: refusals.map(counted) }
    },
  )
  return [
    sources,
    refusals,
    formerRoute(sources, ACTIVITY_RESPONSES, 'GET /api/admin/feeds', {
      operationId: 'listFeeds',
      rows: 'feeds',
      responseOf: ({ sources, ...days }: Sources) => ({
        ...days,
        feeds: sources.map(({ record_type: noun, ...source }) => ({ noun, ...source })),
      }),
    }),
    formerRoute(refusals, ACTIVITY_RESPONSES, 'GET /api/admin/feeds/:noun/refusals', {
      operationId: 'listFeedRefusals',
      rows: 'refusals',
      responseOf: (response: Refusals) => response,
    }),
    adminRoute(
      ACTIVITY_RESPONSES,
      'GET /api/admin/statistics/unknown-products',
      ['read'],
      { texts: ['limit'], rows: 'products', described: DESCRIBED.unknown },
      cachedResponses(
        deps.now,
        ({ products }) => products.length,
        async ({ texts, deadlineAt }) => {
          const { asOf, products } = await showUnknownProducts(deps, texts.limit, deadlineAt)
          return { as_of: asOf, products: products.map(counted) }
        },
      ),
    ),
    adminRoute(
      ACTIVITY_RESPONSES,
      'GET /api/admin/service',
      ['read'],
      { texts: ['minutes', 'hours'], rows: 'times', described: DESCRIBED.service },
      cachedResponses(
        deps.now,
        ({ times }) => times.length,
        async ({ texts, deadlineAt }) => wireReport(await showService(deps, texts, deadlineAt)),
      ),
    ),
  ]
}

function counted<Line>(line: Line): Line & Readonly<{ quality: 'counted' }> {
  return { ...line, quality: 'counted' }
}

function wireReport({
  asOf,
  since,
  per,
  routes,
  times,
  process,
  lastBackupAt,
}: ServiceReport): Static<(typeof ACTIVITY_RESPONSES)['GET /api/admin/service']> {
  return {
    as_of: asOf,
    since,
    per,
    bounds_ms: [...TIME_BOUNDS_MS],
    quality: 'counted',
    routes: routes.map(({ route, ...line }) => ({ route, ...wireTimes(line) })),
    times: times.map(({ at, ...line }) => ({ at, ...wireTimes(line) })),
    process: {
      started_at: process.startedAt,
      heap: wireHeapUsage(process.heap),
      database_heap: process.databaseHeap === undefined ? null : wireHeapUsage(process.databaseHeap),
      retries: process.retries,
    },
    last_backup_at: lastBackupAt ?? null,
  }
}

function wireHeapUsage({ bytes, maxBytes }: HeapUsage) {
  return { bytes, max_bytes: maxBytes }
}

function wireTimes({ n, invalid, refused, failed, p50, p95, p99, counts }: Times) {
  return { n, invalid, refused, failed, p50_ms: p50, p95_ms: p95, p99_ms: p99, counts }
}
