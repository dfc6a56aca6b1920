import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'

/** Asks for all questions at once; the answers in the same order. */
export type AskAll<Question, Answer> = (
  questions: readonly Question[],
  deadlineAt: number,
) => Promise<readonly Answer[]>

type HandOut = () => void
const nothing: HandOut = () => undefined

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
 * Bounds  at most `questionsMax` in one statement, `waitingMax` waiting; above that, and for a question whose deadline
 *         (milliseconds of `performance.now()`) passes before it is asked, `Unavailable`
 */
export function batchQuestions<Question, Answer>(
  askAll: AskAll<Question, Answer>,
  { questionsMax, waitingMax }: { questionsMax: number; waitingMax: number },
): (question: Question, deadlineAt: number) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let asking = false

  async function askWhileAnyWait(): Promise<void> {
    asking = true
    let handOut: HandOut = nothing
    while (waiting.length > 0) {
      // What has arrived already is read first: one larger statement costs less than two (bench/NOTES.md).
      await turnOfEvents()
      const batch = waiting.slice(0, questionsMax)
      waiting = waiting.slice(questionsMax)
      const asked = ask(batch)
      // While this statement is under way: the database would wait for as long as it takes to compute and answer the last.
      setImmediate(handOut)
      handOut = await asked
      if (waiting.length > 0) continue
      handOut()
      handOut = nothing
      await turnOfEvents()
    }
    asking = false
  }

  /** Asks; never fails, but hands out why. */
  async function ask(batch: readonly Waiting<Question, Answer>[]): Promise<HandOut> {
    const inTime = batch.filter(({ deadlineAt, reject }) => {
      if (deadlineAt > performance.now()) return true
      reject(new Unavailable('the store did not answer in time'))
      return false
    })
    if (inTime.length === 0) return nothing
    try {
      const latest = Math.max(...inTime.map(({ deadlineAt }) => deadlineAt))
      const answers = await askAll(
        inTime.map(({ question }) => question),
        latest,
      )
      return () => {
        for (const [index, { resolve }] of inTime.entries()) resolve(answers[index]!)
      }
    } catch (error) {
      return () => {
        for (const { reject } of inTime) reject(error)
      }
    }
  }

  return (question, deadlineAt) => {
    if (waiting.length >= waitingMax) return Promise.reject(new Unavailable('too many requests are waiting'))
    return new Promise((resolve, reject) => {
      waiting.push({ question, deadlineAt, resolve, reject })
      if (!asking) void askWhileAnyWait()
    })
  }
}
