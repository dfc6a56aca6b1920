import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'
import { DEADLINE_SENTENCE } from './failures.ts'
import { tooLate } from './session-queue.ts'

/** Asks all queries at once; the responses come in the same order. */
export type AskAll<Query, Found> = (queries: readonly Query[], deadlineAt: number) => Promise<readonly Found[]>

/** A source of responses that batches concurrent queries. */
export type Batched<Query, Found> = Readonly<{
  /** `deadlineAt` is in milliseconds of `performance.now()`. Errors: `Unavailable`; those of the statement. */
  ask: (query: Query, deadlineAt: number) => Promise<Found>
  /** The error with which to refuse a query arriving now that is unlikely to be answered by `deadlineAt`; undefined if it would be taken. */
  refusal: (deadlineAt: number) => Unavailable | undefined
}>

/** A query is accepted only if its response is expected within this share of its time: the estimate stems from quieter moments. */
const EXPECTED_SHARE = 1 / 2
/** This share of a full statement may always wait, so that one slow moment does not cause everyone after it to be refused. */
const ALWAYS_SHARE = 1 / 8
/** The weight of the latest batch in the moving average. */
const LAST_SHARE = 1 / 4

type Deliver = () => void
const nothing: Deliver = () => undefined

/** The outcome of a batch. A failed batch, as in an outage, says nothing about how long the next takes; one whose queries all expired does. */
type Asked = Readonly<{ deliver: Deliver; countsTowardsMean: boolean }>

type Waiting<Query, Found> = {
  query: Query
  deadlineAt: number
  resolve: (response: Found) => void
  reject: (error: unknown) => void
}

/**
 * Callers ask one query at a time, but the database gets them in batches: queries that arrive in the same turn of the event loop, or
 * while a statement is in flight, share the next statement. No query waits for others still to arrive (ARCHITECTURE.md).
 *
 * Bounds  at most `queriesMax` in one statement; `waitingMax` waiting, a memory limit rarely reached, because a query that is not
 *         expected to be answered in half its time is refused at once; a query whose deadline has passed is not asked
 */
export function batchQueries<Query, Found>(
  askAll: AskAll<Query, Found>,
  { queriesMax, waitingMax }: { queriesMax: number; waitingMax: number },
): Batched<Query, Found> {
  let waiting: Waiting<Query, Found>[] = []
  let asking = false
  let batchMs = 0

  async function askWhileAnyWait(): Promise<void> {
    asking = true
    let deliver: Deliver = nothing
    while (waiting.length > 0) {
      const beganAt = performance.now()
      // Let pending requests be read first: one larger statement costs less than two (bench/NOTES.md).
      await nextEventLoopTurn()
      const batch = waiting.slice(0, queriesMax)
      waiting = waiting.slice(queriesMax)
      const answer = ask(batch)
      // The previous answers are delivered while this statement is in flight; otherwise the database would idle until they are processed.
      setImmediate(deliver)
      const { countsTowardsMean, ...next } = await answer
      deliver = next.deliver
      if (countsTowardsMean) batchMs += (performance.now() - beganAt - batchMs) * LAST_SHARE
      if (waiting.length > 0) continue
      deliver()
      deliver = nothing
      await nextEventLoopTurn()
    }
    asking = false
  }

  /** Asks a batch. Never rejects: a failure is delivered to the callers. */
  async function ask(batch: readonly Waiting<Query, Found>[]): Promise<Asked> {
    const inTime = batch.filter(({ deadlineAt, reject }) => {
      if (deadlineAt > performance.now()) return true
      reject(new Unavailable(DEADLINE_SENTENCE))
      return false
    })
    if (inTime.length === 0) return { deliver: nothing, countsTowardsMean: true }
    try {
      const latest = Math.max(...inTime.map(({ deadlineAt }) => deadlineAt))
      const responses = await askAll(
        inTime.map(({ query }) => query),
        latest,
      )
      const deliver = () => {
        for (const [index, { resolve }] of inTime.entries()) resolve(responses[index]!)
      }
      return { deliver, countsTowardsMean: true }
    } catch (error) {
      const deliver = () => {
        for (const { reject } of inTime) reject(error)
      }
      return { deliver, countsTowardsMean: false }
    }
  }

  /** The expected time for a query arriving now: the batch in flight, those queued ahead of it, and its own. */
  function expectedMs(): number {
    return batchMs * (1 + Math.ceil((waiting.length + 1) / queriesMax))
  }

  function refusal(deadlineAt: number): Unavailable | undefined {
    if (!asking || waiting.length < Math.floor(queriesMax * ALWAYS_SHARE)) return undefined
    const waitMs = expectedMs()
    const leftMs = deadlineAt - performance.now()
    return waiting.length >= waitingMax || waitMs > leftMs * EXPECTED_SHARE ? tooLate(waitMs) : undefined
  }

  return {
    refusal,
    ask: async (query, deadlineAt) => {
      const refused = refusal(deadlineAt)
      if (refused !== undefined) throw refused
      const { promise, resolve, reject } = Promise.withResolvers<Found>()
      waiting.push({ query, deadlineAt, resolve, reject })
      if (!asking) void askWhileAnyWait()
      return await promise
    },
  }
}
