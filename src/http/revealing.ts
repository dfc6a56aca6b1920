import type { Observe } from '../telemetry/observation.ts'
import { assertScope } from './authenticator.ts'
import { maskedId } from './masking.ts'
import type { RouteRequest } from './route.ts'

/** Errors: Unauthorized where personal data is asked for by a caller who may not see it (decision 67). To be called before anything is read. */
export function assertMayReveal({ flags, caller }: RouteRequest): void {
  if (flags.reveal) assertScope(caller, ['support'])
}

/** A record of a player as this request shows it: masked by `mask`, unless it asks for more. Then the log says whose token looked at whom. */
export function shownTo<Shown extends Readonly<{ user_id: string }>>(
  { flags, caller, requestId }: RouteRequest,
  record: Shown,
  mask: (record: Shown) => Shown,
  observe: Observe,
): Shown {
  if (!flags.reveal) return mask(record)
  observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: maskedId(record.user_id) })
  return record
}
