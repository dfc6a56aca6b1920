import { recordActs } from '../audit-log/record-acts.ts'
import type { Deps } from '../deps.ts'
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
  const subjects = records.map(({ order_id, user_id }) => ({ order_id, handle: handles.of(user_id) }))
  const [players, orders] = [subjects.filter(isOfPlayer), subjects.filter((one) => !isOfPlayer(one))]
  await recordActs({ db }, 'player-revealed', doing, players.map(playerAct), deadlineAt)
  await recordActs({ db }, 'order-revealed', doing, orders.map(orderAct), deadlineAt)
  for (const { handle: userId } of subjects)
    observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId })
  return records
}

type Subject = Readonly<{ order_id: string | undefined; handle: string }>

function isOfPlayer({ order_id }: Subject): boolean {
  return order_id === undefined
}

function playerAct({ handle }: Subject) {
  return { subject: handle }
}

function orderAct({ order_id, handle }: Subject) {
  return { subject: order_id!, detail: { user_id: handle } }
}
