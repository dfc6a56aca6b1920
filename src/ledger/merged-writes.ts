/*
 * Small requests that arrive while others are written wait for them, and are then written together, as one request would be
 * (docs/decisions/0105-recording-orders.md).
 */
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import { OperatorError, Unavailable } from '../errors.ts'

/** Up to so many waiting requests are looked through for those that can be written together. */
const LOOKED_THROUGH = 1_000

/** A request that can be written together with others of its kind. */
export type SmallWrite<T, Verdict> = Readonly<{
  records: readonly T[]
  /** What requests that are written together may not have in common: their players and orders. */
  keys: readonly string[]
  weight: number
  /** The id of the caller's token; requests of different tokens are not written together. */
  by: string
  /** When it arrived, RFC 3339. */
  at: string
  /** In milliseconds of `performance.now()`. */
  deadlineAt: number
  isAbandoned: () => boolean
  /** Whether it would have to wait for requests of another kind: then it is written alone, so that others do not wait with it. */
  mustWait: () => boolean
  /** Writes this request without others. */
  alone: () => Promise<readonly Verdict[]>
}>

/** Requests written together: `at` is the arrival of the last, `deadlineAt` the earliest of their deadlines; `isAbandoned` by any client. */
export type Together<T> = Pick<SmallWrite<T, never>, 'records' | 'by' | 'at' | 'deadlineAt' | 'isAbandoned'>

/** Returns the verdicts on the request's records, in order. Errors: those of `alone`. */
export type MergedWrites<T, Verdict> = (request: SmallWrite<T, Verdict>) => Promise<readonly Verdict[]>

type Waiting<T, Verdict> = Readonly<{
  request: SmallWrite<T, Verdict>
  resolve: (verdicts: readonly Verdict[]) => void
  reject: (error: unknown) => void
}>

/**
 * Creates the queue of one kind of requests. No request waits for others still to arrive, and none overtakes an earlier one with the same key. If
 * requests cannot be written together, because one of them fails or its client has left, each is written alone. Bounds: `weightMax` together.
 */
export function createMergedWrites<T, Verdict>(
  writeTogether: (requests: Together<T>) => Promise<readonly Verdict[]>,
  weightMax: number,
): MergedWrites<T, Verdict> {
  let waiting: Waiting<T, Verdict>[] = []
  let isWriting = false

  async function writeWhileAnyWait(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      // Let pending requests be read first: one larger write costs less than two.
      await nextEventLoopTurn()
      await write(take())
    }
    isWriting = false
  }

  /** Takes the first of those that wait, and all that can be written together with it. */
  function take(): readonly Waiting<T, Verdict>[] {
    const batch: Waiting<T, Verdict>[] = []
    const leaving = new Set<Waiting<T, Verdict>>()
    const keys = new Set<string>()
    let weight = 0
    for (const one of waiting.slice(0, LOOKED_THROUGH)) {
      const { request } = one
      const isNext = request.keys.every((key) => !keys.has(key))
      for (const key of request.keys) keys.add(key)
      if (!isNext) continue
      if (request.mustWait()) {
        leaving.add(one)
        void writeAlone(one)
      } else if (batch.length === 0 || (request.by === batch[0]!.request.by && weight + request.weight <= weightMax)) {
        leaving.add(one)
        batch.push(one)
        weight += request.weight
      }
    }
    waiting = waiting.filter((one) => !leaving.has(one))
    return batch
  }

  /** Never rejects. */
  async function write(batch: readonly Waiting<T, Verdict>[]): Promise<void> {
    const [first, ...others] = batch
    if (first === undefined) return
    if (others.length === 0) return await writeAlone(first)
    try {
      const verdicts = await writeTogether(togetherOf(batch.map(({ request }) => request)))
      let from = 0
      for (const { request, resolve } of batch) {
        resolve(verdicts.slice(from, from + request.records.length))
        from += request.records.length
      }
    } catch (error) {
      // These concern all of them, and what was written may be unknown. After any other error nothing has been.
      if (error instanceof Unavailable || error instanceof OperatorError) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map(writeAlone))
    }
  }

  return async (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Verdict[]>()
    waiting.push({ request, resolve, reject })
    if (!isWriting) void writeWhileAnyWait()
    return await promise
  }
}

async function writeAlone<T, Verdict>({ request, resolve, reject }: Waiting<T, Verdict>): Promise<void> {
  await request.alone().then(resolve, reject)
}

function togetherOf<T>(requests: readonly SmallWrite<T, unknown>[]): Together<T> {
  return {
    records: requests.flatMap(({ records }) => records),
    by: requests[0]!.by,
    at: requests.reduce((last, { at }) => (at > last ? at : last), ''),
    deadlineAt: Math.min(...requests.map(({ deadlineAt }) => deadlineAt)),
    isAbandoned: () => requests.some(({ isAbandoned }) => isAbandoned()),
  }
}
