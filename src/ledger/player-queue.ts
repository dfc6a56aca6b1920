/*
 * Within one process, requests that change the accounts of the same players wait for each other, so that few are computed in vain.
 * Correctness comes from optimistic concurrency: the writer compares revisions of accounts (docs/decisions/0105-batch-writes.md).
 */
import { Unavailable } from '../errors.ts'

export type PlayerQueue = Readonly<{
  /**
   * Runs `act` once all earlier callers that named one of these players are done. Callers wait only for earlier ones, so they never deadlock.
   * Bounds: `deadlineAt` in milliseconds of `performance.now()`. Errors: Unavailable if it would have to wait longer.
   */
  run: <T>(userIds: ReadonlySet<string>, deadlineAt: number, act: () => Promise<T>) => Promise<T>
  /** Whether a caller who names these players would have to wait now. */
  isBusy: (userIds: Iterable<string>) => boolean
}>

/** An empty queue. */
export function createPlayerQueue(): PlayerQueue {
  const lastOf = new Map<string, Promise<void>>()
  const run: PlayerQueue['run'] = async (userIds, deadlineAt, act) => {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const earlier = new Set<Promise<void>>()
    for (const userId of userIds) {
      const last = lastOf.get(userId)
      if (last !== undefined) earlier.add(last)
      lastOf.set(userId, done)
    }
    try {
      if (earlier.size > 0) await allBefore(earlier, deadlineAt)
      return await act()
    } finally {
      // A caller that gave up lets later ones pass only once those that it waited for are done.
      void Promise.all(earlier).then(() => {
        for (const userId of userIds) if (lastOf.get(userId) === done) lastOf.delete(userId)
        resolve()
      })
    }
  }
  return { run, isBusy: (userIds) => Iterator.from(userIds).some((userId) => lastOf.has(userId)) }
}

async function allBefore(earlier: Iterable<Promise<void>>, deadlineAt: number): Promise<void> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const end = () => reject(new Unavailable('timed out: other requests kept writing to these accounts'))
  const timer = setTimeout(end, Math.max(0, deadlineAt - performance.now()))
  try {
    await Promise.race([Promise.all(earlier), timedOut])
  } finally {
    clearTimeout(timer)
  }
}
