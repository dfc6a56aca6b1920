import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deps } from '../deps.ts'
import { allRoutes } from '../server/routes.ts'
import { BODY_PACE, type BodyLimits, type Limits, OBJECT_BODY, SIGN_IN_BODY } from './body-limits.ts'

/** No two are equal, so that a route that uses the wrong one is noticed. */
const LIMITS: Limits = {
  predictionBodyBytesMax: 1,
  predictionTimeoutMs: 2,
  upsertBodyBytesMax: 3,
  upsertTimeoutMs: 4,
  batchRecordsMax: 5,
  batchOrdersMax: 6,
}

type Row = readonly [bytes: number, timeoutMs: number, bytesPerSecond: number, graceMs: number, records?: number]

const OBJECT: Row = [524_288, 10_000, 0, 10_000]

const OTHERS: Readonly<Record<string, Row>> = {
  'GET /api/predictions/orders': [1, 30_000, 16_384, 5_000],
  'POST /api/predictions/orders': [1, 30_000, 16_384, 5_000],
  'QUERY /api/predictions/orders': [1, 30_000, 16_384, 5_000],
  'POST /api/integration/players': [3, 600_000, 65_536, 10_000, 5],
  'POST /api/integration/products': [3, 600_000, 65_536, 10_000, 5],
  'POST /api/integration/orders': [3, 600_000, 65_536, 10_000, 6],
  'POST /api/admin/balances': [3, 600_000, 65_536, 10_000, 5],
}

function rowOf({ bytesMax, timeoutMs, bytesPerSecondMin, graceMs = BODY_PACE.graceMs, recordsMax }: BodyLimits): Row {
  const row = [bytesMax, timeoutMs, bytesPerSecondMin, graceMs] as const
  return recordsMax === undefined ? row : [...row, recordsMax]
}

test('the limits of every body: bytes, time, pace and records (decision 6)', () => {
  const nothing = async () => undefined
  const refresh = { tokens: nothing, programs: nothing, shop: nothing, sessions: nothing }
  const routes = allRoutes({ now: () => new Date(0), sideQueue: {} } as Deps, LIMITS, refresh, () => undefined)
  const rows = routes.flatMap(({ methods, path, ...route }) => {
    const limits = route.list ?? route.body
    return limits === undefined ? [] : methods.map((method) => [`${method} ${path}`, rowOf(limits)] as const)
  })
  assert(rows.length > Object.keys(OTHERS).length, 'the routes were not found')
  assert.deepEqual(Object.fromEntries(rows), { ...Object.fromEntries(rows.map(([name]) => [name, OBJECT])), ...OTHERS })
  assert.deepEqual([rowOf(OBJECT_BODY), rowOf(SIGN_IN_BODY)], [OBJECT, [8_192, 10_000, 0, 10_000]])
})
