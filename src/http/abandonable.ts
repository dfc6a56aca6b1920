import type { Deps } from '../operations/deps.ts'
import { whileWanted } from '../store/db/abandonment.ts'
import type { RouteRequest } from './route.ts'

/** What an operation needs, with a database that writes for this request only while its client is there (decision 72). */
export function abandonable(
  deps: Deps,
  { requestId, isAbandoned }: Pick<RouteRequest, 'requestId' | 'isAbandoned'>,
): Deps {
  const { db, observe } = deps
  const onAbandoned = (abandonment: { slicesWritten: number; slices: number }) =>
    observe({ kind: 'request-abandoned', requestId, ...abandonment })
  return { ...deps, db: whileWanted(db, isAbandoned, onAbandoned) }
}
