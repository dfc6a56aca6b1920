import type { Deps } from '../../operations/deps.ts'
import { listRecordedOrders } from '../../operations/list-orders.ts'
import { showOrder } from '../../operations/show-order.ts'
import type { StoredOrder } from '../../store/stored-orders.ts'
import { assertScope } from '../authenticator.ts'
import { maskedId, maskedOrder } from '../masking.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** Recorded orders, whose they are masked as players are (decisions 67 and 122). */
export function adminOrderRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      'GET /api/admin/orders',
      ['read'],
      { texts: ['after', 'limit', 'prefix', 'user_id'], rows: 'orders' },
      async ({ texts, deadlineAt }) => {
        const { rows, after } = await listRecordedOrders(deps, texts, deadlineAt)
        return { orders: rows.map((order) => maskedOrder(answerOf(order))), after }
      },
    ),
    adminRoute('GET /api/admin/orders/:order_id', ['read'], { flags: ['reveal'] }, async (request) => {
      const { params, flags, caller, requestId, deadlineAt } = request
      if (flags.reveal) assertScope(caller, ['support'])
      const order = answerOf(await showOrder(deps, params.order_id!, deadlineAt))
      if (!flags.reveal) return maskedOrder(order)
      deps.observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: maskedId(order.user_id) })
      return order
    }),
  ]
}

function answerOf<Stored extends StoredOrder>(order: Stored) {
  return { ...order, points: Number(order.points), referrer_points: Number(order.referrer_points) }
}
