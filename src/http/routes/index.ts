/*
 * The list of all routes that need a token. The open doors stand in open-doors.ts.
 */
import { orderFields } from '../../ingest/order.ts'
import { playerFields } from '../../ingest/player.ts'
import { productFields } from '../../ingest/product.ts'
import type { Scope } from '../../ingest/scopes.ts'
import type { Deps } from '../../operations/deps.ts'
import { recordSentOrders } from '../../operations/record-orders.ts'
import { upsertPlayers } from '../../operations/upsert-players.ts'
import { upsertProducts } from '../../operations/upsert-products.ts'
import type { Limits, Route } from '../route.ts'
import { accountRoutes } from './accounts.ts'
import { adminPlayerRoutes } from './admin-players.ts'
import { adminProgramRoutes } from './admin-programs.ts'
import { adminTokenRoutes } from './admin-tokens.ts'
import { predictOrderRoute } from './predict-order.ts'
import { type UpsertPlace, upsertRoute } from './upsert.ts'

/** How a change that this process made is made known to it at once; what others change is found by asking again and again. */
export type Refresh = Readonly<{ tokens: () => Promise<void>; programs: () => Promise<void> }>

export function allRoutes(deps: Deps, limits: Limits, refresh: Refresh): Route[] {
  return [
    predictOrderRoute(deps, limits),
    upsertRoute(integration('players'), playerFields(deps.now()), upsertPlayers, deps, limits),
    upsertRoute(integration('products'), productFields, upsertProducts, deps, limits),
    upsertRoute(integration('orders'), orderFields(limits.amountDecimals), recordSentOrders, deps, {
      ...limits,
      batchRecordsMax: limits.batchOrdersMax,
    }),
    ...accountRoutes(deps, limits),
    ...adminTokenRoutes(deps, refresh.tokens),
    ...adminPlayerRoutes(deps),
    ...adminProgramRoutes(deps, refresh.programs),
  ]
}

function integration(noun: Scope & ('players' | 'products' | 'orders')): UpsertPlace {
  return {
    path: `/api/integration/${noun}`,
    scope: noun,
    summary: `${noun === 'orders' ? 'Record' : 'Insert'} new ${noun} and update known ones`,
  }
}
