import { Unavailable } from '../../errors.ts'

/** A lock with one holder at a time, given in the order of asking. */
export interface Mutex {
  /** Waits for the lock, at most until `deadlineAt` (milliseconds of `performance.now()`); then rejects with `Unavailable`. */
  acquire(deadlineAt: number): Promise<void>
  /** Acquires the lock if nobody holds it. */
  tryAcquire(): boolean
  /** Gives the lock up; whoever waits longest has it next. */
  release(): void
  hasWaiters(): boolean
  /** Refuses all who wait and all who come. Resolves when nobody holds the lock any more. */
  end(reason: Error): Promise<void>
}

// Beyond this, waiting only adds to the load: those at the end would miss their deadlines anyway.
const WAITERS_MAX = 10_000

interface Waiter {
  admit(): void
  refuse(error: Error): void
}

export function createMutex(): Mutex {
  const waiters = new Set<Waiter>()
  let isHeld = false
  let ended: { reason: Error; free: PromiseWithResolvers<void> } | undefined

  function tryAcquire(): boolean {
    if (isHeld || ended !== undefined) return false
    isHeld = true
    return true
  }

  function wait(deadlineAt: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const refuseAtDeadline = () => waiter.refuse(new Unavailable('the database was busy until the deadline'))
    const timer = setTimeout(refuseAtDeadline, Math.max(0, deadlineAt - performance.now()))
    function leave(): void {
      clearTimeout(timer)
      waiters.delete(waiter)
    }
    const waiter: Waiter = {
      admit() {
        leave()
        resolve()
      },
      refuse(error) {
        leave()
        reject(error)
      },
    }
    waiters.add(waiter)
    return promise
  }

  return {
    tryAcquire,
    async acquire(deadlineAt) {
      if (ended !== undefined) throw ended.reason
      if (tryAcquire()) return
      if (waiters.size >= WAITERS_MAX) throw new Unavailable('too many calls wait for the database')
      await wait(deadlineAt)
    },
    release() {
      const [next] = waiters
      if (next !== undefined) return next.admit()
      isHeld = false
      ended?.free.resolve()
    },
    hasWaiters: () => waiters.size > 0,
    end(reason) {
      ended ??= { reason, free: Promise.withResolvers<void>() }
      for (const waiter of waiters) waiter.refuse(reason)
      if (!isHeld) ended.free.resolve()
      return ended.free.promise
    },
  }
}
