import { TooManyRequests, Unavailable } from '../errors.ts'

/** The pieces of work of one token that may wait behind the one under way, and those of all tokens together. */
export const WAITING_WORK = { ofTokenMax: 4, ofAllMax: 100 } as const

/**
 * Runs pieces of work one at a time; tokens take turns, however many pieces each has. A failure does not affect the next.
 * Errors: TooManyRequests if too many of this token wait already; Unavailable if too many of all do; those of the work.
 */
export type FairQueue = <T>(tokenId: string, work: () => Promise<T>) => Promise<T>

/** An empty queue. */
export function createFairQueue(): FairQueue {
  /** What each token has under way and waiting; the first token is the next. */
  const pieces = new Map<string, (() => Promise<void>)[]>()
  let count = 0
  let isBusy = false

  async function runAll(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let next = first(); next !== undefined; next = first()) {
      const [tokenId, own] = next
      await own[0]!()
      count -= 1
      own.shift()
      pieces.delete(tokenId)
      if (own.length > 0) pieces.set(tokenId, own)
    }
    isBusy = false
  }

  function first() {
    return pieces.entries().next().value
  }

  return <T>(tokenId: string, work: () => Promise<T>) => {
    const own = pieces.get(tokenId) ?? []
    if (own.length > WAITING_WORK.ofTokenMax)
      throw new TooManyRequests(
        `one request of this kind is under way for this token and ${WAITING_WORK.ofTokenMax} wait: send the next when one is answered`,
        2,
      )
    if (count >= WAITING_WORK.ofAllMax)
      throw new Unavailable('too many requests of this kind wait', { retryAfterS: 10 })
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    pieces.set(tokenId, own)
    own.push(() => work().then(resolve, reject))
    count += 1
    void runAll()
    return promise
  }
}
