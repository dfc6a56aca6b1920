import { Worker } from 'node:worker_threads'
import type { WorkerReply, WorkerRequest, WorkerStart, WorkerStats } from './pglite-thread.ts'

/** The running database thread, as seen from the main thread. */
export interface Engine {
  /** Sends one message of the wire protocol and returns the response; messages are answered in order. Rejects once the thread is dead. */
  send(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array>
  /** The statistics sent with the thread's last response. */
  stats(): WorkerStats
  /** Asks the thread for current statistics. */
  freshStats(): Promise<WorkerStats>
  /** Closes the database cleanly and ends the thread; does nothing if it is already dead. Rejects if the thread dies while closing. */
  close(): Promise<void>
  /** Terminates the thread: like a crash, from which the log recovers at the next opening. Pending and later calls reject with `reason`. */
  kill(reason: Error): Promise<void>
}

/**
 * Starts PGlite in its own thread and waits until it is ready; rejects with the reason if it cannot start.
 * `onDeath` is called at most once, when the thread later dies unexpectedly, and returns the error that calls reject with.
 */
export async function startEngine(start: WorkerStart, onDeath: (error: Error) => Error): Promise<Engine> {
  const waiting = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: Error): void }>()
  const worker = new Worker(new URL('./pglite-thread.ts', import.meta.url), { workerData: start })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let death: Error | undefined
  let isExpected = false
  let isReady = false
  let lastId = 0
  let stats: WorkerStats = { fsyncs: 0, heapBytes: 0, walBytes: 0 }

  function die(error: Error): void {
    if (death !== undefined) return
    death = error
    if (isReady && !isExpected) death = onDeath(error)
    for (const { reject } of waiting.values()) reject(death)
    waiting.clear()
  }

  function ask(request: WorkerRequest['ask']): Promise<Uint8Array> {
    if (death !== undefined) return Promise.reject(death)
    const id = ++lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage(
        { id, ask: request } satisfies WorkerRequest,
        typeof request === 'string' ? [] : [request.buffer],
      )
    })
  }

  const ready = new Promise<Uint8Array>((resolve, reject) => waiting.set(0, { resolve, reject }))
  worker.on('message', (reply: WorkerReply) => {
    if (reply.kind === 'died') return die(new Error(reply.reason))
    stats = reply.stats
    waiting.get(reply.id)?.resolve(reply.bytes)
    waiting.delete(reply.id)
  })
  worker.once('error', (thrown) => die(thrown instanceof Error ? thrown : new Error(String(thrown))))
  worker.once('exit', (code) => die(new Error(`the database thread exited with code ${code}`)))
  await ready
  isReady = true

  return {
    send: ask,
    stats: () => stats,
    async freshStats() {
      await ask('stats')
      return stats
    },
    async close() {
      if (death !== undefined) return
      isExpected = true
      await ask('close')
      await ended
    },
    async kill(reason) {
      isExpected = true
      die(reason)
      await worker.terminate()
    },
  }
}
