import { Type } from 'typebox'
import { adjustmentFields, balanceFields } from '../../ingest/adjustment.ts'
import { schemaOf } from '../../ingest/record.ts'
import { adjustPlayer } from '../../operations/adjust-player.ts'
import { adjustPlayers } from '../../operations/adjust-players.ts'
import type { Deps } from '../../operations/deps.ts'
import { showEntries } from '../../operations/show-entries.ts'
import { type PlayerStanding, showStanding } from '../../operations/show-standing.ts'
import type { StoredEntry } from '../../store/accounts.ts'
import type { Limits, Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'
import { upsertRoute } from './upsert.ts'

const standingSchema = {
  user_id: Type.String(),
  points: Type.Integer({ description: 'the balance: what could be spent' }),
  earned: Type.Integer({ description: 'what counts for the level' }),
  level: Type.String(),
  next: Type.Union([Type.Object({ name: Type.String(), missing: Type.Integer() }), Type.Null()]),
}

/** Players' points: where a player stands and why, and points that no order earned (docs/api.md). */
export function accountRoutes(deps: Deps, limits: Limits): Route[] {
  return [
    {
      ...adminRoute(
        'GET',
        '/api/players/:user_id',
        async ({ params, flags, texts, deadlineAt }) => {
          const userId = params.user_id!
          const standing = await showStanding(deps, userId, deadlineAt)
          const { entries, after } = await showEntries(deps, userId, texts, deadlineAt)
          return {
            ...standingOf(userId, standing),
            entries: entries.map((entry) => entryOf(entry, flags.explain === true)),
            after,
          }
        },
        { flags: ['explain'], texts: ['limit', 'after'] },
      ),
      described: {
        summary: 'Where a player stands, and their entries, newest first',
        answer: Type.Object({
          ...standingSchema,
          name: Type.String(),
          entries: Type.Array(Type.Object({})),
          after: Type.Union([Type.String(), Type.Null()]),
        }),
      },
    },
    {
      ...adminRoute(
        'POST',
        '/api/players/:user_id/adjustments',
        async ({ params, data, deadlineAt }) => {
          const userId = params.user_id!
          const { repeated } = await adjustPlayer(deps, userId, data, deadlineAt)
          return { ...standingOf(userId, await showStanding(deps, userId, deadlineAt)), repeated }
        },
        { hasBody: true },
      ),
      described: {
        summary: 'Add points to a player, or take them away; safe to repeat with the same id',
        data: schemaOf(adjustmentFields),
        answer: Type.Object({ ...standingSchema, name: Type.String(), repeated: Type.Boolean() }),
      },
    },
    upsertRoute(
      { path: '/api/admin/balances', scope: 'admin', summary: 'Adjust many players, each id of a player once' },
      balanceFields,
      adjustPlayers,
      deps,
      limits,
    ),
  ]
}

function standingOf(userId: string, { name, points, levelPoints, level, next }: PlayerStanding) {
  return {
    user_id: userId,
    name,
    points: Number(points),
    earned: Number(levelPoints),
    level,
    next: next === undefined ? null : { name: next.name, missing: Number(next.missing) },
  }
}

/** What an entry has not, it does not show. */
function entryOf(entry: StoredEntry, explain: boolean) {
  const { seq, kind, points, counts, order_id, revision, program, at, adjustment_id, reason, explanation } = entry
  return {
    seq: Number(seq),
    kind,
    points: Number(points),
    counts,
    ...(order_id === null ? {} : { order_id, revision: Number(revision), program }),
    at,
    ...(adjustment_id === null ? {} : { id: adjustment_id, reason }),
    ...(explain && explanation !== null ? { explanation: JSON.parse(explanation) as unknown } : {}),
  }
}
