import { TooManyRequests, Unavailable } from '../errors.ts'

/** The pieces of work of one token that may wait behind the one under way, and those of all tokens together. */
export const WAITING_WORK = { ofTokenMax: 4, ofAllMax: 100 } as const

/** Runs pieces of work one at a time; tokens take turns, however many pieces each has. A failure does not affect the next. */
export type FairQueue = Readonly<{
  /** Errors: TooManyRequests if too many of this token wait already; Unavailable if too many of all do. */
  assertHasRoom: (tokenId: string) => void
  /** Errors: those of `assertHasRoom`, and of the work. */
  run: <T>(tokenId: string, work: () => Promise<T>) => Promise<T>
}>

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

  function assertHasRoom(tokenId: string): void {
    if ((pieces.get(tokenId)?.length ?? 0) > WAITING_WORK.ofTokenMax)
      throw new TooManyRequests(
        `one request of this kind is under way for this token and ${WAITING_WORK.ofTokenMax} wait: send the next when one is answered`,
        2,
      )
    if (count >= WAITING_WORK.ofAllMax)
      throw new Unavailable('too many requests of this kind wait', { retryAfterS: 10 })
  }

  return {
    assertHasRoom,
    run: <T>(tokenId: string, work: () => Promise<T>) => {
      assertHasRoom(tokenId)
      const own = pieces.get(tokenId) ?? []
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      pieces.set(tokenId, own)
      own.push(() => work().then(resolve, reject))
      count += 1
      void runAll()
      return promise
    },
  }
}
