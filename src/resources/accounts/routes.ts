import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import {
  ADJUSTMENT_WORDS,
  adjustmentFields,
  BALANCE_WORDS,
  balanceFields,
  UNDOING_WORDS,
  undoingFields,
} from '../../engine/ingest/adjustment.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { jsonSum } from '../../json-sums.ts'
import type { StoredEntry } from '../../ledger/entries.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { type Limits, recordsBody } from '../../routing/body-limits.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import { finiteDay } from '../../routing/day-range.ts'
import { EXAMPLE_SUMMARY } from '../../routing/example-records.ts'
import { masked, maskedExplanation, type View, viewOf } from '../../routing/masking.ts'
import type { Description, Route } from '../../routing/route.ts'
import { type UpsertDescription, upsertRoute } from '../../routing/upsert-route.ts'
import { adjustPlayers } from './adjust-players.ts'
import { adjustPlayer, undoAdjustment } from './adjustments.ts'
import { ACCOUNT_RESPONSES } from './responses.ts'
import { type AccountSummary, showAccountSummary, showEntries } from './service.ts'

type Entry = Static<(typeof ACCOUNT_RESPONSES)['GET /api/players/:user_id']>['entries'][number]

const summaryExample = {
  user_id: 'u-1',
  name: 'Asha Rao',
  points: 540,
  earned: 540,
  level: 'Silver',
  next: { name: 'Gold', missing: 1_460 },
}

const balanceExample = (points: number) => ({
  points,
  pending: 0,
  held: 0,
  expired: 0,
  booked: points,
  lots: [{ points, expires_on: null }],
  next_expiry: null,
})

const showAccountDescription: Description<Account> = {
  operationId: 'showAccount',
  tag: 'accounts',
  summary: "Get a player's balance, level and entries",
  description:
    'Entries are newest first, paginated by `after`. With `explain=true`, entries of orders include the explanation of the whole order at that revision. Name and reasons are masked for tokens with `read` alone.',
  parameters: {
    after: Type.String({
      pattern: '^[1-9]\\d{0,17}$',
      description: 'the `after` cursor of the previous page; default: the newest entries',
    }),
  },
  example: {
    response: {
      ...summaryExample,
      ...balanceExample(540),
      ...{ as_of: '2026-06-01T12:00:00.000Z', quality: 'exact' },
      entries: [
        {
          seq: 1,
          kind: 'order',
          points: 540,
          counts: true,
          order_id: 'o-1',
          revision: 1,
          program: 1,
          change: 'placed',
          at: '2026-06-01T10:00:00.000Z',
          recorded_at: '2026-06-01T12:00:00.000Z',
        },
      ],
      after: null,
    },
  },
}

const adjustDescription: Description<Static<(typeof ACCOUNT_RESPONSES)['POST /api/players/:user_id/adjustments']>> = {
  operationId: 'adjustPlayer',
  tag: 'accounts',
  summary: 'Add or deduct points of a player',
  description: 'Idempotent by `id`; the same `id` with different content is refused.',
  data: schemaOf(adjustmentFields, ADJUSTMENT_WORDS),
  example: {
    data: { id: 'till-4711', points: -100, counts: false, reason: 'paid with points' },
    response: { ...summaryExample, ...balanceExample(440), repeated: false },
  },
}

const undoDescription: Description<
  Static<(typeof ACCOUNT_RESPONSES)['POST /api/players/:user_id/adjustments/:adjustment_id/undo']>
> = {
  operationId: 'undoAdjustment',
  tag: 'accounts',
  summary: 'Undo an adjustment',
  description: 'Posts a separate entry that reverses the adjustment. Idempotent: it is undone once.',
  data: schemaOf(undoingFields, UNDOING_WORDS),
  example: {
    data: { reason: 'wrong customer' },
    response: {
      ...{ ...summaryExample, earned: 790, next: { name: 'Gold', missing: 1_210 } },
      ...{ ...balanceExample(790), repeated: false },
    },
  },
}

const adjustPlayersDescription: UpsertDescription['described'] = {
  operationId: 'adjustPlayers',
  tag: 'accounts',
  summary: 'Adjust many players, as for opening balances',
  description: '`id` is the idempotency key, unique per player.',
  record: schemaOf(balanceFields, BALANCE_WORDS),
  example: {
    data: [{ user_id: 'u-1', id: 'opening', points: 250, counts: true, reason: 'from the old system' }],
    response: EXAMPLE_SUMMARY,
  },
}

/** Players' points: where a player stands and why, and points that no order earned (docs/api.md). */
export function accountRoutes(deps: Deps, limits: Limits): Route[] {
  return [
    adminRoute(
      ACCOUNT_RESPONSES,
      'GET /api/players/:user_id',
      ['account', 'read'],
      { flags: ['explain'], texts: ['limit', 'after', 'at', 'known_at'], described: showAccountDescription },
      async ({ params, flags, texts, caller, deadlineAt }) => {
        const summary = await showAccountSummary(deps, params.user_id!, texts, deadlineAt)
        const userId = deps.handles.idIn(params.user_id!)
        const { rows: entries, after } = await showEntries(deps, userId, texts, deadlineAt)
        const response = {
          ...toAccountResponse(userId, summary),
          ...(summary.balance === undefined ? {} : { as_of: summary.asOf, quality: 'exact' as const }),
          entries: entries.map((entry) => entryOf(entry, flags.explain === true)),
          after,
        }
        // With `account`, a shop sees whom it names; a handle names nobody (decision 218).
        const isNamed = caller.scopes.has('account') && userId === params.user_id
        return isNamed ? response : maskedAccount(response, viewOf(caller, deps.handles))
      },
    ),
    adminRoute(
      ACCOUNT_RESPONSES,
      'POST /api/players/:user_id/adjustments',
      ['support'],
      { described: adjustDescription },
      async ({ params, data, caller, deadlineAt, ...request }) => {
        const adjusted = {
          userId: params.user_id!,
          subject: deps.handles.of(params.user_id!),
          by: caller.tokenId,
        }
        const { repeated, userId } = await adjustPlayer(stopOnDisconnect(deps, request), adjusted, data, deadlineAt)
        return { ...toAccountResponse(userId, await showAccountSummary(deps, userId, {}, deadlineAt)), repeated }
      },
    ),
    adminRoute(
      ACCOUNT_RESPONSES,
      'POST /api/players/:user_id/adjustments/:adjustment_id/undo',
      ['support'],
      { described: undoDescription },
      async ({ params, data, caller, deadlineAt, ...request }) => {
        const userId = params.user_id!
        const undone = { userId, id: params.adjustment_id!, subject: deps.handles.of(userId), by: caller.tokenId }
        const { repeated } = await undoAdjustment(stopOnDisconnect(deps, request), undone, data, deadlineAt)
        return { ...toAccountResponse(userId, await showAccountSummary(deps, userId, {}, deadlineAt)), repeated }
      },
    ),
    upsertRoute(
      ACCOUNT_RESPONSES,
      {
        name: 'POST /api/admin/balances',
        scope: 'support',
        body: recordsBody(limits),
        described: adjustPlayersDescription,
      },
      adjustPlayers,
      deps,
      limits,
    ),
  ]
}

function toAccountResponse(userId: string, { name, points, levelPoints, level, next, balance }: AccountSummary) {
  return {
    user_id: userId,
    name,
    points: jsonSum(points),
    earned: jsonSum(levelPoints),
    level,
    next: next === undefined ? null : { name: next.name, missing: jsonSum(next.missing) },
    ...(balance === undefined ? {} : balanceOf(balance)),
  }
}

function balanceOf({ pending, held, expired, booked, lots }: NonNullable<AccountSummary['balance']>) {
  const shown = lots.map(({ points, usableOn, expiresOn }) => ({
    points: jsonSum(points),
    ...(usableOn === undefined ? {} : { usable_on: finiteDay(usableOn) }),
    expires_on: finiteDay(expiresOn),
  }))
  const ending = shown.find(({ usable_on, expires_on }) => usable_on === undefined && expires_on !== null)
  return {
    pending: jsonSum(pending),
    held: jsonSum(held),
    expired: jsonSum(expired),
    booked: jsonSum(booked),
    lots: shown,
    next_expiry: ending === undefined ? null : { points: ending.points, on: ending.expires_on! },
  }
}

type Account = Static<(typeof ACCOUNT_RESPONSES)['GET /api/players/:user_id']>

/** An account as shown to callers without the scope `account`: without the name, codes, and what people wrote (decision 67). */
function maskedAccount({ user_id, name, entries, ...account }: Account, view: View): Account {
  const withoutReason = (entry: Entry): Entry => {
    const { reason, ...shown } = maskedExplanation(entry, view)
    return reason === undefined ? shown : { ...shown, reason: masked(reason) }
  }
  return { user_id: view.id(user_id), name: view.name(name), ...account, entries: entries.map(withoutReason) }
}

/** Fields that an entry does not have are left out. */
function entryOf(entry: StoredEntry, explain: boolean): Entry {
  const { seq, kind, points, counts, order_id, revision, program, change, at, recorded_at } = entry
  const { adjustment_id, redemption_id, reason, usable_on, expires_on, spent_on, explanation } = entry
  return {
    seq: Number(seq),
    kind,
    points: Number(points),
    counts,
    ...(order_id === null ? {} : { order_id, revision: Number(revision), program: program! }),
    ...(change === null ? {} : { change }),
    at,
    recorded_at,
    ...(adjustment_id === null ? {} : { id: adjustment_id }),
    ...(redemption_id === null ? {} : { redemption_id }),
    ...(reason === null ? {} : { reason }),
    ...(spent_on === null ? {} : { spent_on }),
    ...(usable_on === null ? {} : { usable_on: finiteDay(usable_on), expires_on: finiteDay(expires_on!) }),
    ...(explain && explanation !== null ? { explanation: JSON.parse(explanation) as Entry['explanation'] & {} } : {}),
  }
}
