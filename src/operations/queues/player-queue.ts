/*
 * Requests of one process that change the accounts of the same players take turns, so that hardly one is computed for nothing.
 * What keeps accounts right is the revision that the store compares (docs/decisions/0105-recording-orders.md).
 */
import { Unavailable } from '../../errors.ts'

/**
 * Acts when nobody who came earlier and named one of these players acts any more. Each waits for earlier ones only, so never in a circle.
 * Bounds: `deadlineAt` in milliseconds of `performance.now()`. Errors: Unavailable where the turn does not come by then.
 */
export type PlayerQueue = <T>(userIds: ReadonlySet<string>, deadlineAt: number, act: () => Promise<T>) => Promise<T>

/** Turns that nobody waits for yet. */
export function createPlayerQueue(): PlayerQueue {
  const lastOf = new Map<string, Promise<void>>()
  return async (userIds, deadlineAt, act) => {
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
      // Who gives up is waited for no longer than those he waited for.
      void Promise.all(earlier).then(() => {
        for (const userId of userIds) if (lastOf.get(userId) === done) lastOf.delete(userId)
        resolve()
      })
    }
  }
}

async function allBefore(earlier: Iterable<Promise<void>>, deadlineAt: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const end = () => reject(new Unavailable('other requests wrote to the same accounts until the deadline'))
  const timer = setTimeout(end, Math.max(0, deadlineAt - performance.now()))
  try {
    await Promise.race([Promise.all(earlier), late])
  } finally {
    clearTimeout(timer)
  }
}
