/*
 * The thread that PGlite lives in: bytes of the wire format in, bytes out, one message after the other.
 * A crash inside WebAssembly, which PGlite would swallow, ends the thread.
 */

import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { addFsync, type ModuleWithFiles } from './fsync.ts'

/** What the thread is started with. */
export interface WorkerStart {
  /** Where PGlite's files lie; undefined keeps them in memory. */
  readonly directory: string | undefined
  /** A dump to begin with in memory; undefined begins with a fresh database. */
  readonly dumpFile: string | undefined
  /** Whether what is written to the directory is brought to the disk. */
  readonly isDurable: boolean
}

/** `close` closes the database and ends the thread; `stats` only answers; bytes are a message for the database. */
export interface WorkerRequest {
  readonly id: number
  readonly ask: 'close' | 'stats' | Uint8Array<ArrayBuffer>
}

/** What the thread tells with each answer, counted from its start. */
export interface WorkerStats {
  readonly fsyncs: number
  readonly heapBytes: number
  /** Bytes of write-ahead log written to disk; stays 0 in memory. */
  readonly walBytes: number
}

export type WorkerReply =
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly stats: WorkerStats
    }
  | { readonly kind: 'died'; readonly reason: string }

interface EmscriptenModule {
  _PostgresMainLoopOnce(): void
  _PostgresMainLongJmp(): void
}

const LONGJMP = 100 // an ordinary SQL error on its way to PGlite's handler
const lastErrorLines: string[] = []
const stats = { fsyncs: 0, heapBytes: 0, walBytes: 0 }

const port = parentPort!
const start = workerData as WorkerStart

// PGlite catches everything that leaves these two and goes on, so a trap or an abort would look like an empty answer.
function dieOnTrap(module: EmscriptenModule): void {
  for (const name of ['_PostgresMainLoopOnce', '_PostgresMainLongJmp'] as const) {
    const original = module[name]
    module[name] = () => {
      try {
        original()
      } catch (thrown) {
        if ((thrown as { status?: unknown }).status === LONGJMP && name === '_PostgresMainLoopOnce') throw thrown
        die(thrown)
      }
    }
  }
}

function die(thrown: unknown): never {
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  port.postMessage({ kind: 'died', reason: [reason, ...lastErrorLines].join('; ') } satisfies WorkerReply)
  process.exit(1)
}

async function open(): Promise<PGlite> {
  const options: PGliteOptions = {
    onStderr(line) {
      // The server log is the only place where a failed start or a panic says why.
      if (/\b(FATAL|PANIC|HINT|DETAIL):/.test(line)) lastErrorLines.push(line)
      if (lastErrorLines.length > 5) lastErrorLines.shift()
      return false
    },
    // A cached generic plan, made while a table was small, would outlive the load that makes it wrong: nothing analyses meanwhile.
    startParams: [...PGlite.defaultStartParams, '-c', 'plan_cache_mode=force_custom_plan'],
  }
  if (start.directory !== undefined) options.dataDir = `file://${start.directory}`
  if (start.directory !== undefined && start.isDurable) {
    // `-F` is fsync off; the default method, fdatasync, is a stub in this build.
    options.startParams = options.startParams!.filter((param) => param !== '-F').concat('-c', 'wal_sync_method=fsync')
    options.extensions = {
      durable: { name: 'durable', setup: async (_pg, given) => ({ emscriptenOpts: withPreRun(given) }) },
    }
  }
  if (start.dumpFile !== undefined) options.loadDataDir = new Blob([readFileSync(start.dumpFile)])
  const pg = await PGlite.create(options)
  dieOnTrap(pg.Module as unknown as EmscriptenModule)
  return pg
}

function withPreRun(given: { preRun?: unknown[] }): object {
  const preRun = (module: ModuleWithFiles) => addFsync(module, stats)
  return { ...given, preRun: [...(given.preRun ?? []), preRun] }
}

const pg = await open().catch(die)
stats.heapBytes = pg.Module.HEAPU8.length

async function answer({ id, ask }: WorkerRequest): Promise<void> {
  const parts: Uint8Array[] = []
  if (ask === 'close') {
    await pg.close()
  } else if (ask !== 'stats') {
    // The view is into the memory of the database, which the next call overwrites.
    await pg.execProtocolRawStream(ask, { syncToFs: false, onRawData: (view) => void parts.push(view.slice()) })
    stats.heapBytes = pg.Module.HEAPU8.length
  }
  const bytes = parts.length === 1 ? (parts[0] as Uint8Array<ArrayBuffer>) : concatenated(parts)
  port.postMessage({ kind: 'answer', id, bytes, stats } satisfies WorkerReply, [bytes.buffer])
  if (ask === 'close') port.close()
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

port.on('message', (request: WorkerRequest) => void answer(request).catch(die))
port.postMessage({
  kind: 'answer',
  id: 0,
  bytes: new Uint8Array(0),
  stats,
} satisfies WorkerReply)
