/*
 * The thread that runs PGlite: wire protocol messages in, answers out, one after the other.
 * A crash inside WebAssembly, which PGlite would swallow, ends the thread.
 */

import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { addFsync, type ModuleWithFiles } from './fsync.ts'

/** What the thread is started with. */
export interface WorkerStart {
  /** Where PGlite's files are; undefined keeps them in memory. */
  readonly directory: string | undefined
  /** A dump to start from, in memory; undefined starts with a fresh database. */
  readonly dumpFile: string | undefined
  /** Whether writes to the directory are synced to disk. */
  readonly isDurable: boolean
  /** The size of PostgreSQL's page cache (`shared_buffers`). */
  readonly sharedBuffersMb: number
}

/** `close` closes the database and ends the thread; `stats` only returns statistics; bytes are a message for the database. */
export interface WorkerRequest {
  readonly id: number
  readonly ask: 'close' | 'stats' | Uint8Array<ArrayBuffer>
}

/** Statistics sent with each response, counted since the thread started. */
export interface WorkerStats {
  readonly fsyncs: number
  readonly heapBytes: number
  /** Bytes of write-ahead log written to disk; stays 0 in memory. */
  readonly walBytes: number
}

export type WorkerReply =
  | {
      readonly kind: 'response'
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

// PGlite catches everything thrown by these two and continues, so a trap or an abort would look like an empty answer.
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
      // The reason of a failed start or a panic appears only in the server log.
      if (/\b(FATAL|PANIC|HINT|DETAIL):/.test(line)) lastErrorLines.push(line)
      if (lastErrorLines.length > 5) lastErrorLines.shift()
      return false
    },
    startParams: [
      ...PGlite.defaultStartParams,
      ...['-c', `shared_buffers=${start.sharedBuffersMb}MB`],
      // A generic plan cached while a table is small would survive the load that makes it wrong, as nothing runs ANALYZE in between.
      ...['-c', 'plan_cache_mode=force_custom_plan'],
      // Pages are in memory. The default, for disks that seek, reads all products to find those of a request, until they are analysed.
      ...['-c', 'random_page_cost=1.1'],
    ],
  }
  if (start.directory !== undefined) options.dataDir = `file://${start.directory}`
  if (start.directory !== undefined && start.isDurable) {
    // `-F` turns fsync off; the default method, fdatasync, is a stub in this build.
    options.startParams = options.startParams!.filter((param) => param !== '-F').concat('-c', 'wal_sync_method=fsync')
    options.extensions = {
      durable: { name: 'durable', setup: async (_pg, setupOptions) => ({ emscriptenOpts: withPreRun(setupOptions) }) },
    }
  }
  if (start.dumpFile !== undefined) options.loadDataDir = new Blob([readFileSync(start.dumpFile)])
  const pg = await PGlite.create(options)
  dieOnTrap(pg.Module as unknown as EmscriptenModule)
  return pg
}

function withPreRun(setupOptions: { preRun?: unknown[] }): object {
  const preRun = (module: ModuleWithFiles) => addFsync(module, stats)
  return { ...setupOptions, preRun: [...(setupOptions.preRun ?? []), preRun] }
}

// Validates each function on its first call. Validating all of PostgreSQL up front takes 70 ms, and most of it is never called.
setFlagsFromString('--wasm-lazy-validation')
const pg = await open().catch(die)
stats.heapBytes = pg.Module.HEAPU8.length

async function response({ id, ask }: WorkerRequest): Promise<void> {
  const parts: Uint8Array[] = []
  if (ask === 'close') {
    await pg.close()
  } else if (ask !== 'stats') {
    // The view is into the database's memory, which the next call overwrites.
    await pg.execProtocolRawStream(ask, { syncToFs: false, onRawData: (view) => void parts.push(view.slice()) })
    stats.heapBytes = pg.Module.HEAPU8.length
  }
  const bytes = parts.length === 1 ? (parts[0] as Uint8Array<ArrayBuffer>) : concatenated(parts)
  port.postMessage({ kind: 'response', id, bytes, stats } satisfies WorkerReply, [bytes.buffer])
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

port.on('message', (request: WorkerRequest) => void response(request).catch(die))
port.postMessage({
  kind: 'response',
  id: 0,
  bytes: new Uint8Array(0),
  stats,
} satisfies WorkerReply)
