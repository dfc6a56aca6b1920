import type { Deps } from '../../deps.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { ERASURE_WORDS, type Erasure, erasePlayer, erasureFields } from './erase-player.ts'
import { exportPlayer, KEPT_KINDS } from './export-player.ts'
import { PERSONAL_DATA_RESPONSES } from './responses.ts'

/** All orders are read for those that name the player: some seconds for a million. */
const ERASE_TIMEOUT_MS = 600_000

const DESCRIBED = {
  export: {
    operationId: 'exportPlayer',
    tag: 'players',
    summary: 'Export all data about a player',
    description: 'Unmasked, and recorded in the audit log. The first record says what each kind is.',
    example: {
      response: {
        records: [{ kind: 'header', record: { user_id: 'u-1', kinds: KEPT_KINDS } }],
        after: null,
      },
    },
  },
  erase: {
    operationId: 'erasePlayer',
    tag: 'players',
    summary: 'Erase what identifies a player',
    description:
      'In one transaction. Entries, amounts and points stay. Later records of the player are skipped with the verdict `erased`, unless they cancel or return a recorded order. Idempotent.',
    data: schemaOf(erasureFields, ERASURE_WORDS),
    example: {
      data: { reason: 'request of 1 June' },
      response: {
        ...{ user_id: 'u-1', replaced: false, repeated: false },
        blanked: { orders: 1, reasons: 5, redemptions: 1, referred_orders: 0, referred_players: 0 },
        deleted: { predictions: 2, jobs: 0 },
        ...{ voided_holds: 0, kept_entries: 6 },
      },
    },
  },
} as const satisfies Record<string, Description>

/** What is kept about one person, and how it is forgotten (docs/privacy.md). */
export function personalDataRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      PERSONAL_DATA_RESPONSES,
      'GET /api/admin/players/:user_id/export',
      ['admin'],
      { texts: ['after', 'limit'], rows: 'records', described: DESCRIBED.export },
      async (request) => {
        const { rows, after } = await exportPlayer(deps, request, request.params.user_id!, request.texts)
        return { records: rows, after }
      },
    ),
    {
      ...adminRoute(
        PERSONAL_DATA_RESPONSES,
        'POST /api/admin/players/:user_id/erase',
        ['admin'],
        { flags: ['dry_run'], described: DESCRIBED.erase },
        async ({ params, flags, data, caller, deadlineAt, ...request }) => {
          const erasure = { idOrHandle: params.user_id!, by: caller.tokenId, isDryRun: flags.dry_run === true }
          return toErasureResponse(await erasePlayer(stopOnDisconnect(deps, request), erasure, data, deadlineAt))
        },
      ),
      timeoutMs: ERASE_TIMEOUT_MS,
    },
  ]
}

const NOTHING = {
  ...{ orders: 0, entries: 0, reasons: 0, redemptions: 0, holds: 0 },
  ...{ predictions: 0, mentions: 0, players: 0, jobs: 0 },
}

function toErasureResponse({ userId, isMoved, counts }: Erasure) {
  const { orders, entries, reasons, redemptions, holds, predictions, mentions, players, jobs } = counts ?? NOTHING
  return {
    user_id: userId,
    replaced: isMoved,
    repeated: counts === undefined,
    blanked: { orders, reasons, redemptions, referred_orders: mentions, referred_players: players },
    deleted: { predictions, jobs },
    voided_holds: holds,
    kept_entries: entries,
  }
}
