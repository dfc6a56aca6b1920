import { recordActs } from '../audit-log/record-acts.ts'
import type { Deps } from '../deps.ts'
import type { Handles } from '../engine/ingest/handles.ts'
import { assertScope } from '../scopes.ts'
import { type View, viewOf } from './masking.ts'
import type { RouteRequest } from './route.ts'

/** Errors: Unauthorized for a caller who asks for personal data but may not see it (decision 67). Call it before anything is read. */
export function assertMayReveal({ flags, caller }: RouteRequest): void {
  if (flags.reveal) assertScope(caller, ['support'])
}

type Shown = Readonly<{ user_id: string; order_id?: string }>

/**
 * Records of players, or their orders, as this request may see them: masked by `mask`, unless it asks to reveal them. Whose token looked at
 * whom is then recorded first, and logged (decision 133). Errors: Unavailable.
 */
export async function shownTo<Record extends Shown>(
  { db, now, observe, handles }: Pick<Deps, 'db' | 'now' | 'observe' | 'handles'>,
  { flags, caller, requestId, deadlineAt }: RouteRequest,
  records: readonly Record[],
  mask: (record: Record, view: View) => Record,
): Promise<readonly Record[]> {
  const view = viewOf(caller, handles)
  if (!flags.reveal) return records.map((record) => mask(record, view))
  const doing = { at: now().toISOString(), by: caller.tokenId }
  const players = records.filter(({ order_id }) => order_id === undefined)
  const orders = records.filter(({ order_id }) => order_id !== undefined)
  await recordActs(
    { db },
    'player-revealed',
    doing,
    players.map((one) => subjectOfPlayer(one, handles)),
    deadlineAt,
  )
  await recordActs(
    { db },
    'order-revealed',
    doing,
    orders.map((one) => subjectOfOrder(one, handles)),
    deadlineAt,
  )
  for (const { user_id } of records)
    observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: handles.of(user_id) })
  return records
}

function subjectOfPlayer({ user_id }: Shown, handles: Handles) {
  return { subject: handles.of(user_id) }
}

function subjectOfOrder({ order_id, user_id }: Shown, handles: Handles) {
  return { subject: order_id!, detail: { user_id: handles.of(user_id) } }
}
