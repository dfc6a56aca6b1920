import { Worker } from 'node:worker_threads'
import type { FairQueue } from '../bulk/fair-queue.ts'
import { ClientGone, InvalidInput, Unavailable } from '../errors.ts'
import type { FromThread, ToThread } from './side-messages.ts'

/** A piece of work takes at most this long, from when its thread has started, and this much memory. */
export const SIDE_WORK = { timeoutMs: 5_000, memoryMb: 256 } as const
/** A thread without work ends after this time, and releases its memory. */
const IDLE_MS = 60_000
const YOUNG_MB = 16

/** A piece of work for a caller. `input` and the responses to `calls`, by name, are cloned. */
export type SideWork = Readonly<{
  tokenId: string
  input: unknown
  calls?: Readonly<Record<string, (question: never) => Promise<unknown>>>
  /** By when it must begin, in milliseconds of `performance.now()`. */
  deadlineAt: number
  isAbandoned: () => boolean
}>

/**
 * Does work that may take long in a thread of its own, so that nobody else waits for it. Errors: those of the queue; InvalidInput as in the thread,
 * and if the work takes too long or too much memory; Unavailable after the deadline; ClientGone; those of the calls.
 */
export type SideThread = <Result>(work: SideWork) => Promise<Result>

/** A thread that starts with its first piece of work. `entry` calls `serveSideTasks`. */
export function createSideThread(entry: URL, queue: FairQueue): SideThread {
  let worker: Worker | undefined
  let isStarted = false
  let idle: NodeJS.Timeout | undefined

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: SIDE_WORK.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB }
    const started = new Worker(entry, { resourceLimits })
    isStarted = false
    started
      .on('error', () => undefined)
      .once('exit', () => {
        if (worker === started) worker = undefined
      })
    return started
  }

  /** A question of earlier work may fail when others have a thread already; and nobody must get one that is about to end. */
  function end(thread: Worker): void {
    if (worker === thread) worker = undefined
    void thread.terminate()
  }

  async function run({ input, calls, deadlineAt, isAbandoned }: SideWork): Promise<unknown> {
    if (isAbandoned()) throw new ClientGone('client disconnected before processing')
    if (performance.now() > deadlineAt)
      throw new Unavailable('timed out waiting for other requests', { retryAfterS: 2 })
    clearTimeout(idle)
    worker ??= start()
    const thread = worker
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const fail = (error: Error) => {
      reject(error)
      end(thread)
    }
    let timer: NodeJS.Timeout | undefined
    /** Not before: on a busy machine, loading the code alone can take that long. */
    const onStarted = () => {
      isStarted = true
      timer = setTimeout(() => fail(tooMuch(`${SIDE_WORK.timeoutMs / 1_000} seconds`)), SIDE_WORK.timeoutMs)
    }
    const onMessage = (message: FromThread) => {
      if ('started' in message) onStarted()
      else if ('result' in message) resolve(message.result)
      else if ('refused' in message) reject(errorOf(message.refused))
      else void respondToCall(message).catch(fail)
    }
    const respondToCall = async ({ call, question }: Extract<FromThread, { call: string }>) => {
      const response = await calls![call]!(question as never)
      thread.postMessage({ response } satisfies ToThread)
    }
    const onError = (error: Error & { code?: string }) =>
      fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch(`${SIDE_WORK.memoryMb} MB of memory`) : error)
    if (isStarted) onStarted()
    thread.on('message', onMessage).on('error', onError).ref()
    thread.postMessage({ input } satisfies ToThread)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      thread.off('message', onMessage).off('error', onError).unref()
      idle = setTimeout(() => end(thread), IDLE_MS).unref()
    }
  }

  return async <Result>(work: SideWork) => (await queue.run(work.tokenId, () => run(work))) as Result
}

function errorOf({ kind, path, message }: Extract<FromThread, { refused: unknown }>['refused']): Error {
  return kind === 'InvalidInput' ? new InvalidInput(path, message) : new Unavailable(message)
}

function tooMuch(limit: string): InvalidInput {
  return new InvalidInput('data', `this takes more than ${limit}: use the command laurel instead`)
}
