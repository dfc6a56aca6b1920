/*
 * Several processes that answer at one port, each a whole service on the same PostgreSQL database, and the primary that started them.
 * The primary opens no database and answers no request: it starts, counts together, and stops.
 */
import cluster, { type Worker } from 'node:cluster'
import { Unavailable } from '../../errors.ts'
import { textOfWorkers } from '../../telemetry/metrics.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { onStopSignals } from './stop-signals.ts'

/** What is told of a service that has started; `firstToken` is the file of the token that it made. */
export type Started = Readonly<{ url: string; database: string; firstToken: string | undefined }>

type ToPrimary = Readonly<{ kind: 'ready'; started: Started } | { kind: 'metrics-wanted' }>
type ToWorker = Readonly<{ kind: 'stop'; reason: string } | { kind: 'metrics'; text: string | undefined }>

type Leading = Readonly<{
  count: number
  /** After a worker's own time for this has passed, it is killed. */
  stopWithinMs: number
  log: Observe
  onStarted: (started: Started) => void
}>

const EXIT_FAILED = 1
/** A worker ends by itself when its time is over. */
const LAST_WORD_MS = 1_000
const METRICS_TIMEOUT_MS = 6_000

/**
 * Starts workers, and ends this process when they have ended: with 0 after a signal, with the exit code of a worker that ended unasked
 * (1 where it was killed), after the others have stopped.
 */
export function leadWorkers({ count, stopWithinMs, log, onStarted }: Leading): void {
  // Workers accept connections themselves: handing them out would cost the primary about as much as an answer costs a worker.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const readMetrics = textOfWorkers()
  const running = new Set<Worker>()
  const ready = new Set<Worker>()
  let first: Started | undefined
  let stopping = false
  let exitCode = 0

  function fork(): void {
    const worker = cluster.fork()
    running.add(worker)
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'ready') enter(worker, message.started)
      if (message.kind === 'metrics-wanted') void tellMetrics(worker)
    })
    worker.on('exit', (code: number | null, signal: string | null) => leave(worker, code, signal))
    worker.on('error', (error) => {
      // One that lives no more cannot be written to; that it has ended, its exit tells.
      if (worker.process.pid === undefined) throw error
    })
  }

  /** The first worker has brought the schema up to date and made the first token: now the others find both. */
  function enter(worker: Worker, started: Started): void {
    if (stopping) return
    ready.add(worker)
    first ??= started
    if (ready.size === 1) for (let others = count - 1; others > 0; others -= 1) fork()
    if (ready.size === count) onStarted(first)
  }

  function leave(worker: Worker, code: number | null, signal: string | null): void {
    running.delete(worker)
    const isOurDoing = stopping && !ready.has(worker)
    if (!stopping) {
      exitCode = code || EXIT_FAILED
      stop(`worker ${worker.id} ended with ${signal ?? `exit code ${code}`}`)
    } else if (!isOurDoing) exitCode ||= code ?? EXIT_FAILED
    if (running.size > 0) return
    log({ kind: 'service-stopped' })
    process.exit(exitCode)
  }

  function stop(reason: string): void {
    if (stopping) return
    stopping = true
    log({ kind: 'service-stopping', reason })
    setTimeout(endAtOnce, stopWithinMs + LAST_WORD_MS).unref()
    for (const worker of running) {
      if (ready.has(worker)) send(worker, { kind: 'stop', reason })
      else worker.process.kill('SIGKILL')
    }
  }

  function endAtOnce(): void {
    for (const worker of running) worker.process.kill('SIGKILL')
    process.exit(EXIT_FAILED)
  }

  async function tellMetrics(worker: Worker): Promise<void> {
    const text = await readMetrics().catch(() => undefined)
    send(worker, { kind: 'metrics', text })
  }

  onStopSignals(stop, endAtOnce)
  fork()
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message)
}

/** In a worker: says that it is ready, and stops when the primary says so, or is no more. */
export function obeyPrimary(started: Started, stop: (reason: string) => void): void {
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') stop(message.reason)
  })
  cluster.worker!.on('disconnect', () => {
    // Else Node ends the process here and now, with all requests under way.
    cluster.worker!.exitedAfterDisconnect = true
    stop('the primary process is gone')
  })
  // A terminal and systemd send their signals to every process of a service: the primary's word is what counts.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined)
  process.send!({ kind: 'ready', started } satisfies ToPrimary)
}

/** In a worker: how to ask the primary for the counters of all workers. One question at a time, for all who ask. Errors: Unavailable. */
export function askPrimary(): () => Promise<string> {
  let asked: Promise<string> | undefined
  return () => {
    asked ??= askOnce().finally(() => {
      asked = undefined
    })
    return asked
  }
}

async function askOnce(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const hear = (message: ToWorker) => {
    if (message.kind === 'metrics') resolve(message.text)
  }
  process.on('message', hear)
  const timer = setTimeout(() => resolve(undefined), METRICS_TIMEOUT_MS)
  process.send!({ kind: 'metrics-wanted' } satisfies ToPrimary, undefined, undefined, (error) => {
    if (error !== null) resolve(undefined)
  })
  try {
    const text = await promise
    if (text === undefined) throw new Unavailable('not every worker told its counts in time')
    return text
  } finally {
    clearTimeout(timer)
    process.off('message', hear)
  }
}
