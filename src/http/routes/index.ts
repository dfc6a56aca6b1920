/*
 * All routes that need a token. Those that need none are in public-routes.ts.
 */
import { ORDER_WORDS, orderFields } from '../../ingest/order.ts'
import { PLAYER_WORDS, playerFields } from '../../ingest/player.ts'
import { PRODUCT_WORDS, productFields } from '../../ingest/product.ts'
import { schemaOf } from '../../ingest/record.ts'
import { SHOP_DEFAULTS } from '../../ingest/shop-settings.ts'
import type { Refresh } from '../../operations/background/refresh.ts'
import type { Deps } from '../../operations/deps.ts'
import { recordSentOrders } from '../../operations/record-orders.ts'
import { upsertPlayers } from '../../operations/upsert-players.ts'
import { upsertProducts } from '../../operations/upsert-products.ts'
import type { Limits, Route } from '../route.ts'
import { accountRoutes } from './accounts.ts'

import { adminActivityRoutes } from './admin-activity.ts'
import { adminActRoutes } from './admin-acts.ts'
import { adminDraftRoutes } from './admin-drafts.ts'

import { adminJobRoutes } from './admin-jobs.ts'

import { adminOrderRoutes } from './admin-orders.ts'
import { adminPlayerRoutes } from './admin-players.ts'
import { adminProductRoutes } from './admin-products.ts'
import { adminProgramTextRoutes } from './admin-program-texts.ts'
import { adminProgramRoutes } from './admin-programs.ts'
import { adminSessionRoutes } from './admin-sessions.ts'
import { adminSettingRoutes } from './admin-settings.ts'
import { adminSimulationRoutes } from './admin-simulations.ts'
import { adminStateVersionRoutes } from './admin-state-versions.ts'
import { adminStatisticsRoutes } from './admin-statistics.ts'
import { adminTokenRoutes } from './admin-tokens.ts'
import { EXAMPLE_ORDER, EXAMPLE_PLAYER, EXAMPLE_PRODUCT, EXAMPLE_SUMMARY } from './example-records.ts'
import { predictOrderRoute } from './predict-order.ts'
import { redemptionRoutes } from './redemptions.ts'
import { type UpsertDescription, upsertRoute } from './upsert.ts'

/** `wakeJobs` makes a job that was just started or cancelled noticed at once; undefined: jobs cannot run here. */
export function allRoutes(deps: Deps, limits: Limits, refresh: Refresh, wakeJobs: (() => void) | undefined): Route[] {
  const { batchRecordsMax, batchOrdersMax } = limits
  const players = integration('players', batchRecordsMax, {
    operationId: 'upsertPlayers',
    summary: 'Insert new players and update known ones',
    description:
      'A player that is sent again unchanged counts as updated. The settings of the shop may allow more than the schema says.',
    record: schemaOf(playerFields(deps.now(), SHOP_DEFAULTS), PLAYER_WORDS),
    example: EXAMPLE_PLAYER,
  })
  const products = integration('products', batchRecordsMax, {
    operationId: 'upsertProducts',
    summary: 'Insert new products and update known ones',
    description: 'A product that is sent again with the same price counts as skipped.',
    record: schemaOf(productFields, PRODUCT_WORDS),
    example: EXAMPLE_PRODUCT,
  })
  const orders = integration('orders', batchOrdersMax, {
    operationId: 'recordOrders',
    summary: 'Record new orders and update known ones',
    description:
      'Send states, not events: each is compared with the recorded one, and the difference is posted to the ledger. The player must be known.',
    record: schemaOf(orderFields, ORDER_WORDS),
    example: EXAMPLE_ORDER,
  })
  return [
    predictOrderRoute(deps, limits),
    upsertRoute(players, upsertPlayers, deps, limits),
    upsertRoute(products, upsertProducts, deps, limits),
    upsertRoute(orders, recordSentOrders, deps, limits),
    ...accountRoutes(deps, limits),
    ...redemptionRoutes(deps),
    ...adminTokenRoutes(deps, refresh.tokens),
    ...adminSimulationRoutes(deps),
    ...adminSessionRoutes(deps, refresh.sessions),
    ...adminActRoutes(deps),
    ...adminPlayerRoutes(deps),
    ...adminProductRoutes(deps),
    ...adminOrderRoutes(deps),
    ...adminProgramRoutes(deps, refresh.programs),
    ...adminProgramTextRoutes(deps),
    ...adminDraftRoutes(deps),
    ...adminSettingRoutes(deps, refresh.shop),
    ...adminStateVersionRoutes(deps),
    ...adminStatisticsRoutes(deps),
    ...adminActivityRoutes(deps),
    ...adminJobRoutes(deps, wakeJobs),
  ]
}

type RecordDescription = Omit<UpsertDescription['described'], 'tag' | 'example'> & Readonly<{ example: object }>

/** An upsert of the contract; its noun is also its scope. Its example inserts one record. */
function integration(
  noun: 'players' | 'products' | 'orders',
  recordsMax: number,
  { example, ...described }: RecordDescription,
): UpsertDescription {
  return {
    name: `POST /api/integration/${noun}`,
    scope: noun,
    recordsMax,
    described: { ...described, tag: 'records', example: { data: [example], answer: EXAMPLE_SUMMARY } },
  }
}
