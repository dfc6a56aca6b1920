import { Unavailable } from '../../errors.ts'

/** One turn at a time, in the order of asking. */
export interface Turns {
  /** Waits for the turn, at most until `deadlineAt` (milliseconds of `performance.now()`); then rejects with `Unavailable`. */
  take(deadlineAt: number): Promise<void>
  /** Takes the turn if nobody has it. */
  takeIfFree(): boolean
  /** Ends the turn; whoever waits longest has it next. */
  pass(): void
  hasWaiters(): boolean
  /** Refuses all who wait and all who come. Resolves when nobody has the turn any more. */
  end(reason: Error): Promise<void>
}

// Beyond this, waiting only adds to the load: those at the end would be late anyway.
const WAITERS_MAX = 10_000

interface Waiter {
  admit(): void
  refuse(error: Error): void
}

/** Turns that nobody has yet. */
export function makeTurns(): Turns {
  const waiters = new Set<Waiter>()
  let isTaken = false
  let ended: { reason: Error; free: PromiseWithResolvers<void> } | undefined

  function takeIfFree(): boolean {
    if (isTaken || ended !== undefined) return false
    isTaken = true
    return true
  }

  function wait(deadlineAt: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = () => waiter.refuse(new Unavailable('the database was busy until the deadline'))
    const timer = setTimeout(late, Math.max(0, deadlineAt - performance.now()))
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
    takeIfFree,
    async take(deadlineAt) {
      if (ended !== undefined) throw ended.reason
      if (takeIfFree()) return
      if (waiters.size >= WAITERS_MAX) throw new Unavailable('too many calls wait for the database')
      await wait(deadlineAt)
    },
    pass() {
      const [next] = waiters
      if (next !== undefined) return next.admit()
      isTaken = false
      ended?.free.resolve()
    },
    hasWaiters: () => waiters.size > 0,
    end(reason) {
      ended ??= { reason, free: Promise.withResolvers<void>() }
      for (const waiter of waiters) waiter.refuse(reason)
      if (!isTaken) ended.free.resolve()
      return ended.free.promise
    },
  }
}
