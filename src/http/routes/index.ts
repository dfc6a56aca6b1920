/*
 * All routes that need a token. Those that need none are in public-routes.ts.
 */
import { orderFields } from '../../ingest/order.ts'
import { playerFields } from '../../ingest/player.ts'
import { productFields } from '../../ingest/product.ts'
import { SHOP_DEFAULTS } from '../../ingest/shop-settings.ts'
import type { Deps } from '../../operations/deps.ts'
import type { Refresh } from '../../operations/jobs/refresh.ts'
import { recordSentOrders } from '../../operations/record-orders.ts'
import { upsertPlayers } from '../../operations/upsert-players.ts'
import { upsertProducts } from '../../operations/upsert-products.ts'
import type { Limits, Route } from '../route.ts'
import { accountRoutes } from './accounts.ts'
import { adminOrderRoutes } from './admin-orders.ts'
import { adminPlayerRoutes } from './admin-players.ts'
import { adminProductRoutes } from './admin-products.ts'
import { adminProgramRoutes } from './admin-programs.ts'
import { adminSettingRoutes } from './admin-settings.ts'
import { adminStatisticsRoutes } from './admin-statistics.ts'
import { adminTokenRoutes } from './admin-tokens.ts'
import { adminVersionRoutes } from './admin-versions.ts'
import { predictOrderRoute } from './predict-order.ts'
import { type UpsertDescription, upsertRoute } from './upsert.ts'

export function allRoutes(deps: Deps, limits: Limits, refresh: Refresh): Route[] {
  const { batchRecordsMax, batchOrdersMax } = limits
  const players = integration('players', 'Insert new players and update known ones', batchRecordsMax)
  const products = integration('products', 'Insert new products and update known ones', batchRecordsMax)
  const orders = integration('orders', 'Record new orders and update known ones', batchOrdersMax)
  return [
    predictOrderRoute(deps, limits),
    upsertRoute(players, playerFields(deps.now(), SHOP_DEFAULTS), upsertPlayers, deps, limits),
    upsertRoute(products, productFields, upsertProducts, deps, limits),
    upsertRoute(orders, orderFields, recordSentOrders, deps, limits),
    ...accountRoutes(deps, limits),
    ...adminTokenRoutes(deps, refresh.tokens),
    ...adminPlayerRoutes(deps),
    ...adminProductRoutes(deps),
    ...adminOrderRoutes(deps),
    ...adminProgramRoutes(deps, refresh.programs),
    ...adminSettingRoutes(deps, refresh.shop),
    ...adminVersionRoutes(deps),
    ...adminStatisticsRoutes(deps),
  ]
}

/** An upsert of the contract: its noun is its scope, too. */
function integration(noun: 'players' | 'products' | 'orders', summary: string, recordsMax: number): UpsertDescription {
  return { name: `POST /api/integration/${noun}`, scope: noun, summary, recordsMax }
}
