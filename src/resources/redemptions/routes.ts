import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import {
  CONFIRMATION_WORDS,
  confirmationFields,
  readConfirmation,
  readRedemption,
  readVoiding,
  redemptionSchema,
  VOIDING_WORDS,
  voidingFields,
} from '../../engine/ingest/redemption.ts'
import { pointsSoFar, type RedeemCommand } from '../../engine/points/ledger/redemptions.ts'
import { jsonSum } from '../../json-sums.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import { finiteDay } from '../../routing/day-range.ts'
import { masked } from '../../routing/masking.ts'
import type { Description, Route, RouteRequest } from '../../routing/route.ts'
import { REDEMPTION_RESPONSES } from './responses.ts'
import {
  type ListedRedemption,
  listRedemptions,
  redeemPoints,
  type ShownRedemption,
  showRedemption,
} from './service.ts'

type Made = Static<(typeof REDEMPTION_RESPONSES)['POST /api/players/:user_id/redemptions']>

const redemptionExample = {
  id: 'r-1',
  points: 500,
  pays: '5',
  reason: 'checkout 4711',
  created_at: '2026-06-01T12:00:00.000Z',
  account: { points: 190, held: 500 },
}

const heldExample = {
  ...redemptionExample,
  state: 'held',
  held_until: '2026-06-01T12:15:00.000Z',
  lots: [{ points: 500, expires_on: null }],
} as const

const DESCRIBED = {
  redeem: {
    operationId: 'redeemPoints',
    redeems: true,
    tag: 'redemptions',
    summary: 'Hold or spend points of a player',
    description:
      'With `hold: true`, the points are held for the period set by the program; otherwise, they are spent at once. Idempotent by `id`. If there are too few points: 409 with the `available` ones.',
    data: redemptionSchema,
    example: {
      data: { id: 'r-1', points: 500, hold: true, reason: 'checkout 4711' },
      response: { ...heldExample, repeated: false },
    },
  },
  list: {
    operationId: 'listRedemptions',
    tag: 'redemptions',
    summary: 'List redemptions of a player',
    description: 'By ID, paginated. Reasons are masked for tokens with `read` alone.',
    example: {
      response: {
        redemptions: [
          {
            id: 'r-1',
            state: 'voided',
            points: 300,
            pays: '3',
            reason: 'checkout 4711',
            created_at: '2026-06-01T12:00:00.000Z',
          },
        ],
        after: null,
      },
    },
  },
  show: {
    operationId: 'showRedemption',
    tag: 'redemptions',
    summary: 'Get a redemption',
    description: 'Its state, and the points it uses. Holds lapse automatically at `held_until`.',
    example: { response: heldExample },
  },
  confirm: {
    operationId: 'confirmRedemption',
    redeems: true,
    tag: 'redemptions',
    summary: 'Spend held points',
    description: 'All or some: the rest is released. A lapsed hold is retried as a new one. Idempotent.',
    data: schemaOf(confirmationFields, CONFIRMATION_WORDS),
    example: {
      data: { points: 300 },
      response: {
        ...redemptionExample,
        state: 'confirmed',
        points: 300,
        pays: '3',
        lots: [{ points: 300, expires_on: null }],
        account: { points: 390, held: 0 },
        repeated: false,
      },
    },
  },
  void: {
    operationId: 'voidRedemption',
    redeems: true,
    tag: 'redemptions',
    summary: 'Release held points or refund spent ones',
    description:
      'All or, with `points`, a part: the rest is unchanged, and `reason` is the idempotency key, unique per part. Points used by an order are refunded by changing that order. Idempotent.',
    data: schemaOf(voidingFields, VOIDING_WORDS),
    example: {
      data: { reason: 'payment failed' },
      response: {
        ...redemptionExample,
        state: 'voided',
        points: 300,
        pays: '3',
        account: { points: 690, held: 0 },
        repeated: false,
      },
    },
  },
} as const satisfies Record<string, Description>

/** Spending points without an order, and holding them for one (decision 139). */
export function redemptionRoutes(deps: Deps): Route[] {
  const run = async (
    { params, caller, deadlineAt, ...request }: RouteRequest,
    command: RedeemCommand,
  ): Promise<Made> => {
    const { repeated, ...shown } = await redeemPoints(
      stopOnDisconnect(deps, request),
      params.user_id!,
      command,
      caller.tokenId,
      deadlineAt,
    )
    return { ...toRedemptionResponse(shown), repeated }
  }
  return [
    adminRoute(
      REDEMPTION_RESPONSES,
      'POST /api/players/:user_id/redemptions',
      ['redeem'],
      { described: DESCRIBED.redeem },
      (request) => run(request, readRedemption(request.data)),
    ),
    adminRoute(
      REDEMPTION_RESPONSES,
      'GET /api/players/:user_id/redemptions',
      ['redeem', 'account', 'read'],
      { texts: ['after', 'limit'], rows: 'redemptions', described: DESCRIBED.list },
      async ({ params, texts, caller, deadlineAt }) => {
        const { rows, after } = await listRedemptions(deps, deps.handles.idIn(params.user_id!), texts, deadlineAt)
        const maySeeReasons = caller.scopes.has('redeem') || caller.scopes.has('account')
        return {
          redemptions: rows.map((row) => {
            const { reason, ...listed } = listedOf(row)
            return { ...listed, reason: maySeeReasons ? reason : masked(reason) }
          }),
          after,
        }
      },
    ),
    adminRoute(
      REDEMPTION_RESPONSES,
      'GET /api/players/:user_id/redemptions/:redemption_id',
      ['redeem', 'account', 'support'],
      { described: DESCRIBED.show },
      async ({ params, deadlineAt }) =>
        toRedemptionResponse(await showRedemption(deps, params.user_id!, params.redemption_id!, deadlineAt)),
    ),
    adminRoute(
      REDEMPTION_RESPONSES,
      'POST /api/players/:user_id/redemptions/:redemption_id/confirm',
      ['redeem'],
      { described: DESCRIBED.confirm },
      (request) => run(request, readConfirmation(request.params.redemption_id!, request.data)),
    ),
    adminRoute(
      REDEMPTION_RESPONSES,
      'POST /api/players/:user_id/redemptions/:redemption_id/void',
      ['redeem'],
      { described: DESCRIBED.void },
      async (request) => {
        const { lots: _, ...voided } = await run(request, readVoiding(request.params.redemption_id!, request.data))
        return voided
      },
    ),
  ]
}

function toRedemptionResponse({ lots, available, held, ...shown }: ShownRedemption) {
  return {
    ...listedOf(shown),
    lots: lots.map((lot) => ({
      points: Number(lot.points),
      expires_on: finiteDay(lot.expiresOn),
    })),
    account: { points: jsonSum(available), held: jsonSum(held) },
  } as const
}

function listedOf({ redemption, isLapsed, pays }: ListedRedemption) {
  const { id, state, points, reward, orderId, heldUntil, reason, createdAt } = redemption
  const voided = pointsSoFar(redemption).at(-1)! - points
  return {
    id,
    state: isLapsed ? 'lapsed' : state,
    points: Number(points),
    ...(voided === 0n ? {} : { voided_points: Number(voided) }),
    ...(pays === undefined ? {} : { pays }),
    ...(reward === undefined ? {} : { reward }),
    ...(orderId === undefined ? {} : { order_id: orderId }),
    ...(heldUntil === undefined ? {} : { held_until: heldUntil }),
    reason,
    created_at: createdAt,
  } as const
}
