import { BODY_MEMORY } from '../../routing/body-limits.ts'
import { addressKey } from '../address-key.ts'

/** Why there is no memory for a body: all bodies together have too much, or those of its client have their share. */
export type MemoryRefusal = 'all' | 'share'

/** Memory for the body of one request, until it has been answered or its client has disconnected. */
export type BodyReservation = Readonly<{
  /**
   * Reserves the bytes that a large body announces; a small one reserves what arrives. True if there is memory; otherwise it queues, and resolves
   * to why there is none when its time is up. It never settles if the client disconnects.
   */
  announced: (bytes: number) => true | Promise<true | MemoryRefusal>
  /** Reserves what has arrived, `bytes` in total, unless that is reserved already. */
  arrived: (bytes: number) => true | MemoryRefusal
  /** For how long it has waited for memory. Meanwhile nothing of the body is read, so that this counts towards the deadline of its response. */
  waitedMs: () => number
  /** Releases what is reserved beyond `bytes`. It is reserved again when it arrives, if there is still memory. */
  shrinkTo: (bytes: number) => void
}>

/** Who sends a body, each way to say it with its own share of the memory. `token` is absent before the token is known. */
export type BodyClient = Readonly<{ token?: string; address: string }>

/** A response emits `close` when it has been sent, and when its client has disconnected. */
type Response = Readonly<{ destroyed: boolean; once: (event: 'close', act: () => void) => unknown }>

/** The reservation of a request, by its response; what it announces waits for up to `waitMs` for memory. */
export type ReservationFor = (response: Response, client: BodyClient, waitMs?: number) => BodyReservation

/** The memory for bodies, and how many bytes of it are reserved. */
export type BodyBudget = Readonly<{ reservationFor: ReservationFor; heldBytes: () => number }>

/** One of the shares that a body counts in: that of its token, or of its address. */
type ShareName = Readonly<{ kind: keyof BodyClient; name: string }>
/** The bytes that small and large bodies hold. */
type Held = { small: number; large: number }

type Waiting = Readonly<{ bytes: number; names: readonly ShareName[]; take: () => void }>

const { smallBytesMax, smallShare, waitingMax, waitingOfClientMax } = BODY_MEMORY
const SHARES = { token: BODY_MEMORY.tokenShare, address: BODY_MEMORY.addressShare } as const

/**
 * The memory that the bodies of all requests may take together: `bytesMax`, and a sixteenth more for small bodies. Those of one token, and those
 * from one address, have a share of it, small and large ones each (`BODY_MEMORY`); a single body may always be larger. A large body reserves what
 * it announces before it is read, so that a body once begun can be finished; the others queue for up to `waitMs`.
 */
export function createBodyBudget(bytesMax: number): BodyBudget {
  let reserved = 0
  const heldBy = { token: new Map<string, Held>(), address: new Map<string, Held>() }
  const waiting = new Set<Waiting>()

  /** Why a body that holds `heldBytes` cannot have `bytes`; undefined if it can. */
  function refusalOf(heldBytes: number, bytes: number, names: readonly ShareName[]): MemoryRefusal | undefined {
    for (const { kind, name } of names) {
      const size = sizeOf(bytes)
      const others = (heldBy[kind].get(name)?.[size] ?? 0) - (sizeOf(heldBytes) === size ? heldBytes : 0)
      if (others > 0 && others + bytes > bytesMax * SHARES[kind][size]) return 'share'
    }
    const most = isSmall(bytes) ? bytesMax * (1 + smallShare) : bytesMax
    return reserved - heldBytes + bytes > most ? 'all' : undefined
  }

  function hold(heldBytes: number, bytes: number, names: readonly ShareName[]): void {
    reserved += bytes - heldBytes
    for (const { kind, name } of names) {
      const held = heldBy[kind].get(name) ?? { small: 0, large: 0 }
      held[sizeOf(heldBytes)] -= heldBytes
      held[sizeOf(bytes)] += bytes
      if (held.small + held.large === 0) heldBy[kind].delete(name)
      else heldBy[kind].set(name, held)
    }
  }

  /** Whether a body waits for others than those of its own client. */
  function isAnyWaitingForAll(): boolean {
    return waiting.values().some(({ bytes, names }) => refusalOf(0, bytes, names) === 'all')
  }

  function letNextIn(): void {
    for (const next of waiting) {
      const refusal = refusalOf(0, next.bytes, next.names)
      if (refusal === undefined) next.take()
      // Otherwise smaller ones behind it could overtake it for ever.
      else if (refusal === 'all') return
    }
  }

  const reservationFor: ReservationFor = (response, { token, address }, waitMs = BODY_MEMORY.waitMs) => {
    const names: ShareName[] = [{ kind: 'address', name: addressKey(address) }]
    if (token !== undefined) names.push({ kind: 'token', name: token })
    let heldBytes = 0
    let stopWaiting = (): void => undefined
    let isWatched = false
    let waitedMs = 0

    function resize(bytes: number): void {
      hold(heldBytes, bytes, names)
      heldBytes = bytes
    }

    function watch(): void {
      if (isWatched) return
      isWatched = true
      response.once('close', () => {
        stopWaiting()
        resize(0)
        letNextIn()
      })
    }

    function waitFor(bytes: number): Promise<true | MemoryRefusal> {
      const { promise, resolve } = Promise.withResolvers<true | MemoryRefusal>()
      const beganAt = performance.now()
      const settle = () => {
        stopWaiting()
        waitedMs = performance.now() - beganAt
        const refusal = refusalOf(heldBytes, bytes, names)
        if (refusal === undefined) resize(bytes)
        resolve(refusal ?? true)
      }
      const one: Waiting = { bytes, names, take: settle }
      const timer = setTimeout(settle, waitMs)
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
        if (isSmall(bytes)) return true
        const refusal = refusalOf(heldBytes, bytes, names)
        if (response.destroyed || bytes > bytesMax || waiting.size >= waitingMax)
          return Promise.resolve(refusal ?? 'all')
        if (refusal === undefined && !isAnyWaitingForAll()) {
          watch()
          resize(bytes)
          return true
        }
        const waitsToo = [...waiting].filter((one) =>
          one.names.some((theirs) => names.some(({ kind, name }) => kind === theirs.kind && name === theirs.name)),
        )
        return waitsToo.length >= waitingOfClientMax ? Promise.resolve('share') : waitFor(bytes)
      },
      arrived: (bytes) => {
        if (bytes <= heldBytes) return true
        const refusal = response.destroyed ? 'all' : refusalOf(heldBytes, bytes, names)
        if (refusal !== undefined) return refusal
        watch()
        resize(bytes)
        return true
      },
      waitedMs: () => waitedMs,
      shrinkTo: (bytes) => {
        if (bytes >= heldBytes) return
        resize(bytes)
        letNextIn()
      },
    }
  }

  return { reservationFor, heldBytes: () => reserved }
}

function isSmall(bytes: number): boolean {
  return bytes <= smallBytesMax
}

function sizeOf(bytes: number): keyof Held {
  return isSmall(bytes) ? 'small' : 'large'
}
