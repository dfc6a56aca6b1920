import { setTimeout as sleep } from 'node:timers/promises'
import { TooManyRequests, Unavailable } from '../errors.ts'

/** The pieces of work of one token that may wait behind the one under way, and those of all tokens together. */
export const WAITING_WORK = { ofTokenMax: 4, ofAllMax: 100 } as const

/** A caller that is refused and asks again at once is slowed down. Only so many wait at a time: each holds a part of its body. */
const REFUSAL = { afterMs: 500, waitingMax: 256 } as const

/**
 * Runs pieces of work one at a time; tokens take turns, however many pieces each has. After a piece, its token rests for as long as the piece took, so
 * that one token takes at most half of a thread. A failure does not affect the next.
 */
export type FairQueue = Readonly<{
  /** Errors, after a pause: TooManyRequests if too many of this token wait already; Unavailable if too many of all do. */
  assertHasRoom: (tokenId: string) => Promise<void>
  /** Errors: those of `assertHasRoom`, at once, and of the work. */
  run: <T>(tokenId: string, work: () => Promise<T>) => Promise<T>
}>

/** An empty queue. */
export function createFairQueue(): FairQueue {
  /** What each token has under way and waiting; the first token is the next. */
  const tasks = new Map<string, (() => Promise<void>)[]>()
  /** Until when a token rests, in milliseconds of `performance.now()`. */
  const rests = new Map<string, number>()
  let count = 0
  let isBusy = false
  let refusedCount = 0
  let waiting: NodeJS.Timeout | undefined

  async function runAll(): Promise<void> {
    if (isBusy) return
    isBusy = true
    clearTimeout(waiting)
    for (let next = firstRested(); next !== undefined; next = firstRested()) {
      const [tokenId, queued] = next
      const beganAt = performance.now()
      await queued[0]!()
      const endedAt = performance.now()
      rests.set(tokenId, 2 * endedAt - beganAt)
      count -= 1
      queued.shift()
      tasks.delete(tokenId)
      if (queued.length > 0) tasks.set(tokenId, queued)
    }
    isBusy = false
    const nextAt = Math.min(...tasks.keys().map((tokenId) => rests.get(tokenId)!))
    if (tasks.size > 0) waiting = setTimeout(() => void runAll(), Math.max(0, nextAt - performance.now()))
  }

  function firstRested() {
    const now = performance.now()
    for (const [tokenId, until] of rests) if (until <= now) rests.delete(tokenId)
    return tasks.entries().find(([tokenId]) => !rests.has(tokenId))
  }

  function refusalOf(tokenId: string): Error | undefined {
    if ((tasks.get(tokenId)?.length ?? 0) > WAITING_WORK.ofTokenMax)
      return new TooManyRequests(
        `too many requests of this kind by this token (1 running, ${WAITING_WORK.ofTokenMax} waiting): retry after a response`,
        2,
      )
    if (count >= WAITING_WORK.ofAllMax)
      return new Unavailable('too many waiting requests of this kind: retry later', { retryAfterS: 10 })
    return undefined
  }

  return {
    assertHasRoom: async (tokenId) => {
      const refusal = refusalOf(tokenId)
      if (refusal === undefined) return
      if (refusedCount < REFUSAL.waitingMax) {
        refusedCount += 1
        await sleep(REFUSAL.afterMs)
        refusedCount -= 1
      }
      throw refusal
    },
    run: <T>(tokenId: string, work: () => Promise<T>) => {
      const refusal = refusalOf(tokenId)
      if (refusal !== undefined) throw refusal
      const queued = tasks.get(tokenId) ?? []
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      tasks.set(tokenId, queued)
      queued.push(() => work().then(resolve, reject))
      count += 1
      void runAll()
      return promise
    },
  }
}
