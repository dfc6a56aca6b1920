import type { Deps } from '../../deps.ts'
import { ORDER_WORDS, orderFields } from '../../engine/ingest/order.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { REPORTED_NOTHING_REASONS } from '../../engine/points/model.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { type Limits, ordersBody } from '../../routing/body-limits.ts'
import { EXAMPLE_ORDER } from '../../routing/example-records.ts'
import { maskedOrder, viewOf } from '../../routing/masking.ts'
import { playerParameter } from '../../routing/openapi-parameters.ts'
import { assertMayReveal, shownTo } from '../../routing/reveal-audit.ts'
import type { Description, Route } from '../../routing/route.ts'
import { integrationUpsert, type Upsert, upsertRoute } from '../../routing/upsert-route.ts'
import { openOrderWrites, recordSentOrders } from './record-orders.ts'
import { ORDER_RESPONSES } from './responses.ts'
import { listRecordedOrders, showOrder } from './service.ts'
import type { StoredOrder, StoredRevision } from './store.ts'

const orderExample = {
  order_id: 'o-1',
  user_id: 'u-1',
  status: 'placed',
  ordered_at: '2026-06-01T10:00:00.000Z',
  total: '5400',
  discount: '0',
  qty: null,
  line_count: 1,
  referral_code: '',
  subscript_points: false,
  points: 540,
  referrer_id: null,
  referrer_points: 0,
  program: 1,
  rev: 1,
  state_version: null,
  recorded_at: '2026-06-01T12:00:00.000Z',
  updated_at: '2026-06-01T12:00:00.000Z',
  currency: null,
}

const DESCRIBED = {
  list: {
    operationId: 'listOrders',
    tag: 'orders',
    summary: 'List recorded orders, by order ID or by date',
    description:
      'Of all players, or of one, by order ID. With `from`, `to` or `nothing`: the orders of these dates, or those with 0 points for this reason, newest first; these cannot be combined with other filters. Dates are in the time zone of the program in effect as they begin. Without the scope `support`, players have handles in place of IDs, and codes are masked.',
    parameters: {
      user_id: playerParameter('only orders of this player'),
      referrer_id: playerParameter('only orders with referral points for this player'),
      from: Type.String({ format: 'date', description: 'only orders of this date or later; default: from the first' }),
      to: Type.String({ format: 'date', description: 'only orders of this date or earlier; default: up to the last' }),
      nothing: Type.Enum([...REPORTED_NOTHING_REASONS], {
        type: 'string',
        description: 'only orders with 0 points for this reason at their first recording',
      }),
    },
    example: { response: { orders: [orderExample], after: null } },
  },
  show: {
    operationId: 'showOrder',
    tag: 'orders',
    summary: 'Get a recorded order, with its lines',
    description:
      'Without the scope `support`, players have handles in place of IDs, and codes are masked. With `explain=true`, `revisions` has the points of each recorded state and the explanation of the whole order.',
    example: {
      response: {
        ...orderExample,
        lines: [{ sku: 'TEA-1', amount: '5400', qty: '120' }],
      },
    },
  },
} as const satisfies Record<string, Description>

/** Recorded orders, masked like players (decisions 67 and 122). */
export function adminOrderRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      ORDER_RESPONSES,
      'GET /api/admin/orders',
      ['read'],
      {
        texts: ['after', 'limit', 'prefix', 'user_id', 'referrer_id', 'from', 'to', 'nothing'],
        rows: 'orders',
        described: DESCRIBED.list,
      },
      async ({ texts, caller, deadlineAt }) => {
        const { rows, after } = await listRecordedOrders(deps, texts, deadlineAt)
        const view = viewOf(caller, deps.handles)
        return { orders: rows.map((order) => maskedOrder(toOrderResponse(order), view)), after }
      },
    ),
    adminRoute(
      ORDER_RESPONSES,
      'GET /api/admin/orders/:order_id',
      ['read'],
      { flags: ['reveal', 'explain'], described: DESCRIBED.show },
      async (request) => {
        assertMayReveal(request)
        const { params, flags, deadlineAt } = request
        const { points_redeemed, attributes, revisions, ...stored } = await showOrder(
          deps,
          params.order_id!,
          flags.explain === true,
          deadlineAt,
        )
        const order = {
          ...toOrderResponse(stored),
          // Only where there are such points (decision 138).
          ...(points_redeemed === null ? {} : { points_redeemed }),
          ...(attributes === null ? {} : { attributes }),
          ...(flags.explain === true ? { revisions: revisions.map(revisionOf) } : {}),
        }
        const [shown] = await shownTo(deps, request, [order], maskedOrder)
        return shown!
      },
    ),
  ]
}

/** Fields that a revision does not have are left out. */
function revisionOf({ change, explanation, ...revision }: StoredRevision) {
  return {
    ...revision,
    ...(change === null ? {} : { change }),
    ...(explanation === null ? {} : { explanation }),
  }
}

function toOrderResponse<Stored extends StoredOrder>(order: Stored) {
  return { ...order, points: Number(order.points), referrer_points: Number(order.referrer_points) }
}

/** The upsert of the contract: what it records, earns points. */
export function recordOrdersRoute(deps: Deps, limits: Limits): Route {
  const described = integrationUpsert('orders', ordersBody(limits), {
    operationId: 'recordOrders',
    summary: 'Record new orders and update known ones',
    description:
      'Send states, not events: each is compared with the recorded one, and the difference is posted to the ledger. The player must exist.',
    record: schemaOf(orderFields, ORDER_WORDS),
    example: EXAMPLE_ORDER,
  })
  const writes = openOrderWrites(deps)
  const record: Upsert = (requestDeps, sent, options) => recordSentOrders(requestDeps, writes, sent, options)
  return upsertRoute(ORDER_RESPONSES, described, record, deps, limits)
}
