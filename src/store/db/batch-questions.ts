import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'
import { tooLate } from './turns.ts'

/** Asks for all questions at once; the answers in the same order. */
export type AskAll<Question, Answer> = (
  questions: readonly Question[],
  deadlineAt: number,
) => Promise<readonly Answer[]>

/** Questions that are asked together. */
export type Batched<Question, Answer> = Readonly<{
  /** Errors: `Unavailable`; those of the statement. `deadlineAt` in milliseconds of `performance.now()`. */
  ask: (question: Question, deadlineAt: number) => Promise<Answer>
  /** What to refuse a question with that came now and would hardly be answered by then. */
  refusal: (deadlineAt: number) => Unavailable | undefined
}>

/** A question is taken only if it is expected to be answered in this share of its time: expectations come from quieter moments. */
const EXPECTED_SHARE = 1 / 2
/** So many of a full statement may always wait: a bad moment must not become the reason to refuse everyone after it. */
const ALWAYS_SHARE = 1 / 8
/** How much of the mean the last batch is. */
const LAST_SHARE = 1 / 4

type HandOut = () => void
const nothing: HandOut = () => undefined

/** What became of a batch. How long one took that failed, as in an outage, says nothing of the next; one that came too late to be asked does. */
type Asked = Readonly<{ handOut: HandOut; isTelling: boolean }>

type Waiting<Question, Answer> = {
  question: Question
  deadlineAt: number
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * Answers questions one by one for the callers, but together for the database: those that arrive in one turn of the event loop,
 * or while a statement is under way, are asked by the next. Nobody waits for questions that have not arrived (ARCHITECTURE.md).
 *
 * Bounds  at most `questionsMax` in one statement, `waitingMax` waiting for memory's sake; long before that the time they would wait: a
 *         question that could not be answered in half its time is refused at once, one whose deadline has passed is not asked
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
    let handOut: HandOut = nothing
    while (waiting.length > 0) {
      const beganAt = performance.now()
      // What has arrived already is read first: one larger statement costs less than two (bench/NOTES.md).
      await turnOfEvents()
      const batch = waiting.slice(0, questionsMax)
      waiting = waiting.slice(questionsMax)
      const asked = ask(batch)
      // While this statement is under way: the database would wait for as long as it takes to compute and answer the last.
      setImmediate(handOut)
      const { isTelling, ...next } = await asked
      handOut = next.handOut
      if (isTelling) batchMs += (performance.now() - beganAt - batchMs) * LAST_SHARE
      if (waiting.length > 0) continue
      handOut()
      handOut = nothing
      await turnOfEvents()
    }
    asking = false
  }

  /** Asks; never fails, but hands out why. */
  async function ask(batch: readonly Waiting<Question, Answer>[]): Promise<Asked> {
    const inTime = batch.filter(({ deadlineAt, reject }) => {
      if (deadlineAt > performance.now()) return true
      reject(new Unavailable('the database did not answer in time'))
      return false
    })
    if (inTime.length === 0) return { handOut: nothing, isTelling: true }
    try {
      const latest = Math.max(...inTime.map(({ deadlineAt }) => deadlineAt))
      const answers = await askAll(
        inTime.map(({ question }) => question),
        latest,
      )
      const handOut = () => {
        for (const [index, { resolve }] of inTime.entries()) resolve(answers[index]!)
      }
      return { handOut, isTelling: true }
    } catch (error) {
      const handOut = () => {
        for (const { reject } of inTime) reject(error)
      }
      return { handOut, isTelling: false }
    }
  }

  /** How long a question takes that comes now: the batch under way, those that wait before it, and its own. */
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
