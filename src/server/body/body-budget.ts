import { BODY_MEMORY } from '../../routing/body-limits.ts'

/** Memory for the body of one request, until it has been answered or its client has disconnected. */
export type BodyReservation = Readonly<{
  /**
   * Reserves the bytes that the request announces. True if there is memory; otherwise it queues, and resolves to false when its time is up.
   * It never settles if the client disconnects.
   */
  announced: (bytes: number) => true | Promise<boolean>
  /** Reserves bytes that arrived unannounced; false if there is not enough memory. */
  arrived: (bytes: number) => boolean
}>

/** A response emits `close` when it has been sent, and when its client has disconnected. */
type Response = Readonly<{ destroyed: boolean; once: (event: 'close', act: () => void) => unknown }>

type Waiting = Readonly<{ bytes: number; take: () => void }>

const { smallBytesMax, smallShare, waitingMax } = BODY_MEMORY

/**
 * The memory that the bodies of all requests may take together: `bytesMax`, and a sixteenth more for small bodies. A body that announces
 * its length reserves all of it before it is read, so that a body once begun can be finished; the others queue for up to `waitMs`.
 */
export function createBodyBudget(
  bytesMax: number,
  waitMs: number = BODY_MEMORY.waitMs,
): (response: Response) => BodyReservation {
  let reserved = 0
  const waiting = new Set<Waiting>()

  function fits(bytes: number): boolean {
    const most = bytes <= smallBytesMax ? bytesMax * (1 + smallShare) : bytesMax
    return reserved + bytes <= most
  }

  function release(bytes: number): void {
    reserved -= bytes
    for (const next of waiting) {
      if (!fits(next.bytes)) return // Otherwise smaller ones behind it could overtake it for ever.
      next.take()
    }
  }

  return (response) => {
    let own = 0
    let stopWaiting = (): void => undefined
    let isWatched = false

    function watch(): void {
      if (isWatched) return
      isWatched = true
      response.once('close', () => {
        stopWaiting()
        release(own)
      })
    }

    function reserve(bytes: number): void {
      watch()
      own += bytes
      reserved += bytes
    }

    function waitFor(bytes: number): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const settle = (isReserved: boolean) => {
        stopWaiting()
        if (isReserved) reserve(bytes)
        resolve(isReserved)
      }
      const one: Waiting = { bytes, take: () => settle(true) }
      const timer = setTimeout(settle, waitMs, false)
      stopWaiting = () => {
        clearTimeout(timer)
        waiting.delete(one)
      }
      waiting.add(one)
      watch()
      return promise
    }

    return {
      announced: (bytes) => {
        const isNext = waiting.size === 0 || bytes <= smallBytesMax
        if (isNext && !response.destroyed && fits(bytes)) {
          reserve(bytes)
          return true
        }
        const isHopeless = response.destroyed || waiting.size >= waitingMax || bytes > bytesMax
        return isHopeless ? Promise.resolve(false) : waitFor(bytes)
      },
      arrived: (bytes) => {
        if (response.destroyed || !fits(bytes)) return false
        reserve(bytes)
        return true
      },
    }
  }
}
