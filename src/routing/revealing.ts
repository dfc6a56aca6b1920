import { recordActs } from '../audit-log/record-acts.ts'
import type { Deps } from '../deps.ts'
import { assertScope } from '../scopes.ts'
import { maskedId } from './masking.ts'
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
  { db, now, observe }: Pick<Deps, 'db' | 'now' | 'observe'>,
  { flags, caller, requestId, deadlineAt }: RouteRequest,
  records: readonly Record[],
  mask: (record: Record) => Record,
): Promise<readonly Record[]> {
  if (!flags.reveal) return records.map(mask)
  const doing = { at: now().toISOString(), by: caller.tokenId }
  const players = records.filter(({ order_id }) => order_id === undefined)
  const orders = records.filter(({ order_id }) => order_id !== undefined)
  await recordActs({ db }, 'player-revealed', doing, players.map(subjectOfPlayer), deadlineAt)
  await recordActs({ db }, 'order-revealed', doing, orders.map(subjectOfOrder), deadlineAt)
  for (const { user_id } of records)
    observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: maskedId(user_id) })
  return records
}

function subjectOfPlayer({ user_id }: Shown) {
  return { subject: maskedId(user_id) }
}

function subjectOfOrder({ order_id, user_id }: Shown) {
  return { subject: order_id!, detail: { user_id: maskedId(user_id) } }
}
