import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'
import { DEADLINE_SENTENCE } from './failures.ts'
import { tooLate } from './turns.ts'

/** Asks all questions at once; the answers come in the same order. */
export type AskAll<Question, Answer> = (
  questions: readonly Question[],
  deadlineAt: number,
) => Promise<readonly Answer[]>

/** A source of answers that batches concurrent questions. */
export type Batched<Question, Answer> = Readonly<{
  /** `deadlineAt` is in milliseconds of `performance.now()`. Errors: `Unavailable`; those of the statement. */
  ask: (question: Question, deadlineAt: number) => Promise<Answer>
  /** The error with which to refuse a question arriving now that is unlikely to be answered by `deadlineAt`; undefined if it would be taken. */
  refusal: (deadlineAt: number) => Unavailable | undefined
}>

/** A question is accepted only if its answer is expected within this share of its time: the estimate stems from quieter moments. */
const EXPECTED_SHARE = 1 / 2
/** This share of a full statement may always wait, so that one slow moment does not cause everyone after it to be refused. */
const ALWAYS_SHARE = 1 / 8
/** The weight of the latest batch in the moving average. */
const LAST_SHARE = 1 / 4

type Deliver = () => void
const nothing: Deliver = () => undefined

/** The outcome of a batch. A failed batch, as in an outage, says nothing about how long the next takes; one whose questions all expired does. */
type Asked = Readonly<{ deliver: Deliver; countsTowardsMean: boolean }>

type Waiting<Question, Answer> = {
  question: Question
  deadlineAt: number
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * Callers ask one question at a time, but the database gets them in batches: questions that arrive in the same turn of the event loop, or
 * while a statement is in flight, share the next statement. No question waits for others still to arrive (ARCHITECTURE.md).
 *
 * Bounds  at most `questionsMax` in one statement; `waitingMax` waiting, a memory limit rarely reached, because a question that is not
 *         expected to be answered in half its time is refused at once; a question whose deadline has passed is not asked
 */
export function batchQuestions<Question, Answer>(
  askAll: AskAll<Question, Answer>,
  { questionsMax, waitingMax }: { questionsMax: number; waitingMax: number },
): Batched<Question, Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let asking = false
  let batchMs = 0

  async function askWhileAnyWait(): Promise<void> {
    asking = true
    let deliver: Deliver = nothing
    while (waiting.length > 0) {
      const beganAt = performance.now()
      // Let pending requests be read first: one larger statement costs less than two (bench/NOTES.md).
      await nextEventLoopTurn()
      const batch = waiting.slice(0, questionsMax)
      waiting = waiting.slice(questionsMax)
      const asked = ask(batch)
      // The previous answers are delivered while this statement is in flight; otherwise the database would idle until they are processed.
      setImmediate(deliver)
      const { countsTowardsMean, ...next } = await asked
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
  async function ask(batch: readonly Waiting<Question, Answer>[]): Promise<Asked> {
    const inTime = batch.filter(({ deadlineAt, reject }) => {
      if (deadlineAt > performance.now()) return true
      reject(new Unavailable(DEADLINE_SENTENCE))
      return false
    })
    if (inTime.length === 0) return { deliver: nothing, countsTowardsMean: true }
    try {
      const latest = Math.max(...inTime.map(({ deadlineAt }) => deadlineAt))
      const answers = await askAll(
        inTime.map(({ question }) => question),
        latest,
      )
      const deliver = () => {
        for (const [index, { resolve }] of inTime.entries()) resolve(answers[index]!)
      }
      return { deliver, countsTowardsMean: true }
    } catch (error) {
      const deliver = () => {
        for (const { reject } of inTime) reject(error)
      }
      return { deliver, countsTowardsMean: false }
    }
  }

  /** The expected time for a question arriving now: the batch in flight, those queued ahead of it, and its own. */
  function expectedMs(): number {
    return batchMs * (1 + Math.ceil((waiting.length + 1) / questionsMax))
  }

  function refusal(deadlineAt: number): Unavailable | undefined {
    if (!asking || waiting.length < Math.floor(questionsMax * ALWAYS_SHARE)) return undefined
    const waitMs = expectedMs()
    const leftMs = deadlineAt - performance.now()
    return waiting.length >= waitingMax || waitMs > leftMs * EXPECTED_SHARE ? tooLate(waitMs) : undefined
  }

  return {
    refusal,
    ask: async (question, deadlineAt) => {
      const refused = refusal(deadlineAt)
      if (refused !== undefined) throw refused
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      waiting.push({ question, deadlineAt, resolve, reject })
      if (!asking) void askWhileAnyWait()
      return await promise
    },
  }
}
