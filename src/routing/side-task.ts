/*
 * The thread's half of side-thread.ts.
 */
import { parentPort } from 'node:worker_threads'
import { InvalidInput, Unavailable } from '../errors.ts'
import { lowerPriority } from '../low-priority.ts'
import type { FromThread, ToThread } from './side-messages.ts'

/** Asks the service something while a piece of work is under way, one question at a time. */
export type CallService = <Response>(call: string, question: unknown) => Promise<Response>

/** Does the pieces of work that the service sends to this thread, one at a time. */
export function serveSideTasks(work: (input: never, call: CallService) => Promise<unknown>): void {
  const port = parentPort!
  let onResponse: (response: unknown) => void = () => undefined
  const post = (message: FromThread) => port.postMessage(message)
  const call: CallService = <Response>(name: string, question: unknown) => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    onResponse = (response) => resolve(response as Response)
    post({ call: name, question })
    return promise
  }
  const run = async (input: unknown) => {
    try {
      post({ result: await work(input as never, call) })
    } catch (error) {
      post({ refused: refusalOf(error) })
    }
  }
  port.on('message', (message: ToThread) => {
    if ('response' in message) onResponse(message.response)
    else void run(message.input)
  })
  post({ started: true })
  lowerPriority('task')
}

function refusalOf(error: unknown): Extract<FromThread, { refused: unknown }>['refused'] {
  if (error instanceof InvalidInput) return { kind: 'InvalidInput', path: error.path, message: error.message }
  if (error instanceof Unavailable) return { kind: 'Unavailable', path: '', message: error.message }
  throw error
}
