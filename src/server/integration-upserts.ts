/*
 * The upserts of the contract: players, products and orders, sent by the systems of a shop.
 */
import { ORDER_WORDS, orderFields } from '../engine/ingest/order.ts'
import { PLAYER_WORDS, playerFields } from '../engine/ingest/player.ts'
import { PRODUCT_WORDS, productFields } from '../engine/ingest/product.ts'
import { schemaOf } from '../engine/ingest/record.ts'
import { SHOP_DEFAULTS } from '../engine/ingest/shop-settings.ts'
import { recordSentOrders } from '../resources/orders/record-orders.ts'
import { upsertPlayers } from '../resources/players/upsert-players.ts'
import { upsertProducts } from '../resources/products/upsert-products.ts'
import type { Deps } from '../shared/deps.ts'
import { EXAMPLE_ORDER, EXAMPLE_PLAYER, EXAMPLE_PRODUCT, EXAMPLE_SUMMARY } from '../shared/routes/example-records.ts'
import type { Limits, Route } from '../shared/routes/route.ts'
import { type UpsertDescription, upsertRoute } from '../shared/routes/upsert-route.ts'

export function integrationRoutes(deps: Deps, limits: Limits): Route[] {
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
    upsertRoute(players, upsertPlayers, deps, limits),
    upsertRoute(products, upsertProducts, deps, limits),
    upsertRoute(orders, recordSentOrders, deps, limits),
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
