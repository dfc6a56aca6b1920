import { adjustmentFields, balanceFields } from '../../ingest/adjustment.ts'
import { schemaOf } from '../../ingest/record.ts'
import { adjustPlayer } from '../../operations/adjust-player.ts'
import { adjustPlayers } from '../../operations/adjust-players.ts'
import type { Deps } from '../../operations/deps.ts'
import { showEntries } from '../../operations/show-entries.ts'
import { type PlayerStanding, showStanding } from '../../operations/show-standing.ts'
import { Type } from '../../points/json-schema.ts'
import type { StoredEntry } from '../../store/entries.ts'
import { abandonable } from '../abandonable.ts'
import { masked, maskedId, maskedName } from '../masking.ts'
import type { Limits, Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'
import { ANSWERS, type Answer } from './answers.ts'
import { upsertRoute } from './upsert.ts'

type Entry = Answer<'GET /api/players/:user_id'>['entries'][number]

/** Players' points: where a player stands and why, and points that no order earned (docs/api.md). */
export function accountRoutes(deps: Deps, limits: Limits): Route[] {
  return [
    {
      ...adminRoute(
        'GET /api/players/:user_id',
        ['account', 'read'],
        { flags: ['explain'], texts: ['limit', 'after'] },
        async ({ params, flags, texts, caller, deadlineAt }) => {
          const userId = params.user_id!
          const standing = await showStanding(deps, userId, deadlineAt)
          const { rows: entries, after } = await showEntries(deps, userId, texts, deadlineAt)
          const answer = {
            ...standingOf(userId, standing),
            entries: entries.map((entry) => entryOf(entry, flags.explain === true)),
            after,
          }
          return caller.scopes.has('account') ? answer : maskedAccount(answer)
        },
      ),
      described: {
        summary: 'Where a player stands, and their entries, newest first',
        answer: Type.Object({
          ...ANSWERS['GET /api/players/:user_id'].properties,
          entries: Type.Array(Type.Object({})),
        }),
      },
    },
    {
      ...adminRoute(
        'POST /api/players/:user_id/adjustments',
        ['support'],
        { takesBody: true },
        async ({ params, data, caller, deadlineAt, ...request }) => {
          const userId = params.user_id!
          const { repeated } = await adjustPlayer(abandonable(deps, request), userId, data, caller.tokenId, deadlineAt)
          return { ...standingOf(userId, await showStanding(deps, userId, deadlineAt)), repeated }
        },
      ),
      described: {
        summary: 'Add points to a player, or take them away; safe to repeat with the same id',
        data: schemaOf(adjustmentFields),
      },
    },
    upsertRoute(
      {
        name: 'POST /api/admin/balances',
        scope: 'support',
        summary: 'Adjust many players, each id of a player once',
        recordsMax: limits.batchRecordsMax,
      },
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

type Account = Answer<'GET /api/players/:user_id'>

/** An account as those see it who may only read: without the name, and without what people wrote (decision 67). */
function maskedAccount({ user_id, name, entries, ...account }: Account): Account {
  const withoutReason = ({ reason, ...entry }: Entry): Entry =>
    reason === undefined ? entry : { ...entry, reason: masked(reason) }
  return { user_id: maskedId(user_id), name: maskedName(name), ...account, entries: entries.map(withoutReason) }
}

/** What an entry has not, it does not show. */
function entryOf(entry: StoredEntry, explain: boolean): Entry {
  const { seq, kind, points, counts, order_id, revision, program, change, at, recorded_at } = entry
  const { adjustment_id, reason, explanation } = entry
  return {
    seq: Number(seq),
    kind,
    points: Number(points),
    counts,
    ...(order_id === null ? {} : { order_id, revision: Number(revision), program: program! }),
    ...(change === null ? {} : { change }),
    at,
    recorded_at,
    ...(adjustment_id === null ? {} : { id: adjustment_id, reason: reason! }),
    ...(explain && explanation !== null ? { explanation: JSON.parse(explanation) as Entry['explanation'] & {} } : {}),
  }
}
