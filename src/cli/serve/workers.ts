/*
 * Several processes that listen on one port, each a whole service on the same PostgreSQL database, and the primary that started them.
 * The primary opens no database and answers no requests: it starts the workers, adds up their metrics, and stops them.
 */
import cluster, { type Worker } from 'node:cluster'
import { Unavailable } from '../../errors.ts'
import { LOG_FLUSH_TIMEOUT_MS, type LogOutput } from '../../telemetry/log-output.ts'
import { textOfWorkers } from '../../telemetry/metrics.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { EXIT } from '../failure.ts'

/** A service that has started; `firstToken` is the file of the token that it created, `signInCode` the code of a link to the console. */
export type Started = Readonly<{
  url: string
  consoleUrl: string
  database: string
  firstToken: string | undefined
  signInCode: string | undefined
}>

type ToPrimary = Readonly<{ kind: 'ready'; started: Started } | { kind: 'metrics-wanted' }>
type ToWorker = Readonly<{ kind: 'stop'; reason: string } | { kind: 'metrics'; text: string | undefined }>

type PrimaryOptions = Readonly<{
  count: number
  /** How long workers may take to stop; one that is not done by then is killed. */
  stopWithinMs: number
  log: Observe
  output: Pick<LogOutput, 'flush'>
  onStarted: (started: Started) => void
}>

/** A worker ends by itself when its time is up; only one that does not is killed. */
const KILL_GRACE_MS = 1_000
const METRICS_TIMEOUT_MS = 6_000

/**
 * Starts workers, and ends this process when they have ended: with 0 after a signal, or, once the others have stopped, with the exit code
 * of a worker that ended by itself (1 if it was killed).
 */
export function runPrimary({ count, stopWithinMs, log, output, onStarted }: PrimaryOptions): void {
  // Workers accept connections themselves: passing one on would cost the primary about as much as a response costs a worker.
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
      if (message.kind === 'ready') onReady(worker, message.started)
      if (message.kind === 'metrics-wanted') void sendMetrics(worker)
    })
    worker.on('exit', (code: number | null, signal: string | null) => onExit(worker, code, signal))
    worker.on('error', (error) => {
      // A message to a process that is gone fails; its exit is handled above.
      if (worker.process.pid === undefined) throw error
    })
  }

  /** The first worker has migrated the schema and created the first token, so that the others find both. */
  function onReady(worker: Worker, started: Started): void {
    if (stopping) return
    ready.add(worker)
    first ??= started
    if (ready.size === 1) for (let others = count - 1; others > 0; others -= 1) fork()
    if (ready.size === count) onStarted(first)
  }

  function onExit(worker: Worker, code: number | null, signal: string | null): void {
    running.delete(worker)
    const wasKilled = stopping && !ready.has(worker)
    if (!stopping) {
      exitCode = code || EXIT.refused
      stop(`worker ${worker.id} ended with ${signal ?? `exit code ${code}`}`)
    } else if (!wasKilled) exitCode ||= code ?? EXIT.refused
    if (running.size > 0) return
    log({ kind: 'service-stopped' })
    void output.flush(LOG_FLUSH_TIMEOUT_MS).then(() => process.exit(exitCode))
  }

  function stop(reason: string): void {
    if (stopping) return
    stopping = true
    log({ kind: 'service-stopping', reason })
    setTimeout(endAtOnce, stopWithinMs + KILL_GRACE_MS).unref()
    for (const worker of running) {
      if (ready.has(worker)) send(worker, { kind: 'stop', reason })
      else worker.process.kill('SIGKILL')
    }
  }

  function endAtOnce(): void {
    for (const worker of running) worker.process.kill('SIGKILL')
    process.exit(EXIT.refused)
  }

  async function sendMetrics(worker: Worker): Promise<void> {
    const text = await readMetrics().catch(() => undefined)
    send(worker, { kind: 'metrics', text })
  }

  onStopSignals(stop, endAtOnce)
  fork()
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message)
}

/** In a worker: reports that it is ready, and stops when the primary says so, or is gone. */
export function followPrimary(started: Started, stop: (reason: string) => void): void {
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') stop(message.reason)
  })
  cluster.worker!.on('disconnect', () => {
    // Otherwise Node ends the process at once, with requests in progress.
    cluster.worker!.exitedAfterDisconnect = true
    stop('the primary process is gone')
  })
  // A terminal and systemd send their signals to every process of a service: only the primary acts on them.
  for (const signal of STOP_SIGNALS) process.on(signal, () => undefined)
  process.send!({ kind: 'ready', started } satisfies ToPrimary)
}

/** In a worker: a function that gets the metrics of all workers from the primary. Concurrent calls share one request. Errors: Unavailable. */
export function requestClusterMetrics(): () => Promise<string> {
  let pending: Promise<string> | undefined
  return () => {
    pending ??= requestOnce().finally(() => {
      pending = undefined
    })
    return pending
  }
}

async function requestOnce(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const onMessage = (message: ToWorker) => {
    if (message.kind === 'metrics') resolve(message.text)
  }
  process.on('message', onMessage)
  const timer = setTimeout(() => resolve(undefined), METRICS_TIMEOUT_MS)
  process.send!({ kind: 'metrics-wanted' } satisfies ToPrimary, undefined, undefined, (error) => {
    if (error !== null) resolve(undefined)
  })
  try {
    const text = await promise
    if (text === undefined) throw new Unavailable('timed out waiting for the metrics of all workers')
    return text
  } finally {
    clearTimeout(timer)
    process.off('message', onMessage)
  }
}

/** A terminal sends SIGINT, or SIGHUP when it closes; supervisors send SIGTERM. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** A terminal and systemd signal all processes of a service at once, and npm passes the signal on: the same one may arrive twice. */
const SAME_SIGNAL_MS = 500

/** Calls `stop` on the first signal to end, `endAtOnce` on the second: whoever sends another one does not want to wait. */
export function onStopSignals(stop: (signal: string) => void, endAtOnce: () => void): void {
  let stoppingSince: number | undefined
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (stoppingSince === undefined) stop(signal)
      else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) endAtOnce()
      stoppingSince ??= performance.now()
    })
  }
}
