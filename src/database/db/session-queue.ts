import { Unavailable } from '../../errors.ts'

/** What a turn at the database is for. Kinds are served round-robin in this order, so that none waits for another's whole queue. */
export type SessionUse = (typeof KINDS)[number]
const KINDS = ['prediction', 'read', 'write'] as const

/** The sessions of a database: how many there are, how many are in use, and how many requests wait for one. */
export type SessionCounts = Readonly<{ max: number; used: number; waiting: number }>

/** Gives a turn back. */
export type ReleaseSession = () => void

/** Lends out the sessions of a database: first come, first served within a kind, and round-robin between kinds. */
export interface SessionQueue {
  /**
   * Waits for a turn, at most until `deadlineAt` (milliseconds of `performance.now()`).
   * Errors: `Unavailable`, at once if those already waiting are expected to use up the time, otherwise at the deadline.
   */
  acquire(kind: SessionUse, deadlineAt: number): Promise<ReleaseSession>
  /** A turn, if one is free now. */
  tryAcquire(): ReleaseSession | undefined
  hasWaiters(): boolean
  counts(): SessionCounts
  /** Refuses everyone waiting and everyone to come. Resolves once all turns have been given back. */
  end(reason: Error): Promise<void>
}

// Limits memory; waiting time is limited long before this is reached.
const WAITERS_MAX = 10_000
/** The weight of the latest turn in the moving average. */
const LAST_SHARE = 1 / 8

interface Waiter {
  admit(): void
  refuse(error: Error): void
}

/** `places` is the number of sessions. */
export function createSessionQueue(places: number): SessionQueue {
  const lines = KINDS.map(() => ({ waiters: new Set<Waiter>(), meanMs: 0 }))
  type Line = (typeof lines)[number]
  let held = 0
  let next = 0
  let ended: { reason: Error; free: PromiseWithResolvers<void> } | undefined

  function begin(line: Line): ReleaseSession {
    const beganAt = performance.now()
    held += 1
    return () => {
      held -= 1
      line.meanMs += (performance.now() - beganAt - line.meanMs) * LAST_SHARE
      admitNext()
      if (held === 0) ended?.free.resolve()
    }
  }

  /** Round-robin: starts with the kind after the one admitted last. */
  function admitNext(): void {
    if (held >= places) return
    for (let step = 0; step < lines.length; step += 1) {
      const at = (next + step) % lines.length
      const line = lines[at]!
      const [waiter] = line.waiters
      if (waiter === undefined) continue
      next = (at + 1) % lines.length
      waiter.admit()
      return
    }
  }

  /** How long those ahead of a newcomer will take; 0 for the first of its kind, as a running turn may end at any moment. */
  function expectedMs(line: Line): number {
    const before = line.waiters.size
    const each = lines.map(({ waiters, meanMs }) => Math.min(waiters.size, before) * meanMs)
    return each.reduce((sum, one) => sum + one, 0) / places
  }

  function wait(line: Line, deadlineAt: number): Promise<ReleaseSession> {
    const { promise, resolve, reject } = Promise.withResolvers<ReleaseSession>()
    const late = () => waiter.refuse(new Unavailable('timed out waiting for the database'))
    const timer = setTimeout(late, Math.max(0, deadlineAt - performance.now()))
    function leave(): void {
      clearTimeout(timer)
      line.waiters.delete(waiter)
    }
    const waiter: Waiter = {
      admit() {
        leave()
        resolve(begin(line))
      },
      refuse(error) {
        leave()
        reject(error)
      },
    }
    line.waiters.add(waiter)
    return promise
  }

  const allWaiters = () => lines.reduce((sum, { waiters }) => sum + waiters.size, 0)

  return {
    async acquire(kind, deadlineAt) {
      if (ended !== undefined) throw ended.reason
      const line = lines[KINDS.indexOf(kind)]!
      if (held < places) return begin(line)
      const waitMs = expectedMs(line)
      if (allWaiters() >= WAITERS_MAX || performance.now() + waitMs > deadlineAt) throw tooLate(waitMs)
      return await wait(line, deadlineAt)
    },
    tryAcquire: () => (ended === undefined && held < places ? begin(lines.at(-1)!) : undefined),
    hasWaiters: () => allWaiters() > 0,
    counts: () => ({ max: places, used: held, waiting: allWaiters() }),
    end(reason) {
      ended ??= { reason, free: Promise.withResolvers<void>() }
      for (const { waiters } of lines) for (const waiter of waiters) waiter.refuse(reason)
      if (held === 0) ended.free.resolve()
      return ended.free.promise
    },
  }
}

/** Created once each: capturing a stack trace costs more than the rest of a refusal. */
const REFUSALS: Unavailable[] = []

/** The refusal of a request that would have to wait `waitMs`: it has cost nothing yet, and says when to retry. */
export function tooLate(waitMs: number): Unavailable {
  const retryAfterS = Math.min(60, Math.max(1, Math.ceil(waitMs / 1_000)))
  const cached = REFUSALS[retryAfterS]
  if (cached !== undefined) return cached
  const made = new Unavailable('overloaded: retry later', { retryAfterS })
  REFUSALS[retryAfterS] = made
  return made
}
