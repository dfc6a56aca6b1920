import { stopWritesOnDisconnect } from '../database/db/client-disconnect.ts'
import type { Deps } from '../deps.ts'
import type { RouteRequest } from './route.ts'

/** The dependencies of an operation, with a database that stops writing for this request once its client has disconnected (decision 72). */
export function stopOnDisconnect(
  deps: Deps,
  { requestId, isAbandoned }: Pick<RouteRequest, 'requestId' | 'isAbandoned'>,
): Deps {
  const { db, observe } = deps
  const onAbandoned = (abandonment: { slicesWritten: number; slices: number }) =>
    observe({ kind: 'request-abandoned', requestId, ...abandonment })
  return { ...deps, db: stopWritesOnDisconnect(db, isAbandoned, onAbandoned) }
}
