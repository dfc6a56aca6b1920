import { getHeapStatistics } from 'node:v8'
import type { Observe } from './observation.ts'

/** The health of a process. `heap` is the heap of its main thread, `databaseHeap` that of the embedded database. */
export type ProcessMetrics = Readonly<{
  /** RFC 3339 */
  startedAt: string
  heap: HeapUsage
  databaseHeap: HeapUsage | undefined
  /** How many times database work was retried since then. */
  retries: number
}>

/** Bytes in use, and the limit. */
export type HeapUsage = Readonly<{ bytes: number; maxBytes: number }>

/** The limit of PGlite's 32-bit WebAssembly build. */
const DATABASE_HEAP_MAX_BYTES = 2 ** 31

/** The metrics of this process from now on. `observe` feeds them; `memoryBytes` returns the heap size of the embedded database. */
export function createProcessMetrics(
  now: () => Date,
  memoryBytes: () => number | undefined,
): Readonly<{ observe: Observe; read: () => ProcessMetrics }> {
  const startedAt = now().toISOString()
  let retries = 0
  return {
    observe: ({ kind }) => {
      if (kind === 'store-retried') retries += 1
    },
    read: () => {
      const { used_heap_size: bytes, heap_size_limit: maxBytes } = getHeapStatistics()
      const databaseBytes = memoryBytes()
      const databaseHeap =
        databaseBytes === undefined ? undefined : { bytes: databaseBytes, maxBytes: DATABASE_HEAP_MAX_BYTES }
      return { startedAt, heap: { bytes, maxBytes }, databaseHeap, retries }
    },
  }
}
