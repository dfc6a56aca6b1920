/*
 * Small requests that arrive while others are written wait for them, and are then written together, as one request would be
 * (docs/decisions/0105-batch-writes.md).
 */
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import { ClientGone } from '../errors.ts'

/** Up to so many waiting requests are looked through for those that can be written together. */
const LOOKED_THROUGH = 250

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
export type Together<T> = Pick<SmallWrite<T, never>, 'records' | 'by' | 'at' | 'deadlineAt' | 'isAbandoned'> &
  Readonly<{
    /** To be called before a COMMIT is sent, from which on what is written may be permanent, unless ClientGone says that it is not. */
    committing: () => void
  }>

/** Returns the verdicts on the request's records, in order. Errors: those of `alone`. */
export type MergedWrites<T, Verdict> = (request: SmallWrite<T, Verdict>) => Promise<readonly Verdict[]>

type WriteTogether<T, Verdict> = (requests: Together<T>) => Promise<readonly Verdict[]>

/** The requests of one token. */
type Line<T, Verdict> = MergedWrites<T, Verdict>

type Waiting<T, Verdict> = Readonly<{
  request: SmallWrite<T, Verdict>
  resolve: (verdicts: readonly Verdict[]) => void
  reject: (error: unknown) => void
}>

/**
 * Creates the queue of one kind of requests. Each token's are written one after the other, and no request waits for others still to arrive. If
 * requests cannot be written together, because one of them fails, its client leaves or somebody else holds what it needs, each is written alone, and
 * those behind them do not wait. Bounds: `weightMax` together.
 */
export function createMergedWrites<T, Verdict>(
  writeTogether: WriteTogether<T, Verdict>,
  weightMax: number,
): MergedWrites<T, Verdict> {
  const lines = new Map<string, Line<T, Verdict>>()
  return async (request) => {
    const { by } = request
    const line = lines.get(by) ?? openLine(writeTogether, weightMax, () => lines.delete(by))
    lines.set(by, line)
    return await line(request)
  }
}

/** Opens the line of a token; `onEnd` is called when nobody waits in it any more. */
function openLine<T, Verdict>(
  writeTogether: WriteTogether<T, Verdict>,
  weightMax: number,
  onEnd: () => void,
): Line<T, Verdict> {
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
    onEnd()
  }

  /** Takes those of the first that wait that can be written together. Those that cannot be written with any others begin alone. */
  function take(): readonly Waiting<T, Verdict>[] {
    const batch: Waiting<T, Verdict>[] = []
    const leaving = new Set<Waiting<T, Verdict>>()
    const keys = new Set<string>()
    let weight = 0
    for (const one of waiting.slice(0, LOOKED_THROUGH)) {
      const { request } = one
      if (weight + request.weight > weightMax) break
      // One that has to wait for an earlier one with the same key is left for the next write.
      const isNext = request.keys.every((key) => !keys.has(key))
      for (const key of request.keys) keys.add(key)
      if (!isNext) continue
      leaving.add(one)
      if (request.isAbandoned() || request.deadlineAt <= performance.now() || request.mustWait()) {
        void writeAlone(one)
        continue
      }
      batch.push(one)
      weight += request.weight
    }
    waiting = waiting.filter((one) => !leaving.has(one))
    return batch
  }

  /** Never rejects. */
  async function write(batch: readonly Waiting<T, Verdict>[]): Promise<void> {
    if (batch.length === 0) return
    let mayBeCommitted = false
    const committing = () => {
      mayBeCommitted = true
    }
    try {
      const requests = batch.map(({ request }) => request)
      const verdicts = await writeTogether(togetherOf(requests, committing))
      let from = 0
      for (const { request, resolve } of batch) {
        resolve(verdicts.slice(from, from + request.records.length))
        from += request.records.length
      }
    } catch (error) {
      // The others are written together again, without those whose clients have left.
      if (error instanceof ClientGone) waiting = [...batch, ...waiting]
      else if (mayBeCommitted) for (const { reject } of batch) reject(error)
      else for (const one of batch) void writeAlone(one)
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

function togetherOf<T>(requests: readonly SmallWrite<T, unknown>[], committing: () => void): Together<T> {
  return {
    records: requests.flatMap(({ records }) => records),
    by: requests[0]!.by,
    at: requests.reduce((last, { at }) => (at > last ? at : last), ''),
    deadlineAt: Math.min(...requests.map(({ deadlineAt }) => deadlineAt)),
    isAbandoned: () => requests.some(({ isAbandoned }) => isAbandoned()),
    committing,
  }
}
