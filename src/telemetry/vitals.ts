import { getHeapStatistics } from 'node:v8'
import type { Observe } from './observation.ts'

/** How one process is. `heap` is that of its main thread, `databaseHeap` that of the embedded database; bytes in use, and where it ends. */
export type Vitals = Readonly<{
  /** RFC 3339 */
  startedAt: string
  heap: Room
  databaseHeap: Room | undefined
  /** How often work of the database was tried again since then. */
  retries: number
}>

export type Room = Readonly<{ bytes: number; maxBytes: number }>

/** WebAssembly of 32 bits as PGlite is built. */
const DATABASE_HEAP_MAX_BYTES = 2 ** 31

/** The vitals of this process from now on: `observe` feeds them. `memoryBytes` is the heap of the embedded database. */
export function createVitals(
  now: () => Date,
  memoryBytes: () => number | undefined,
): Readonly<{ observe: Observe; read: () => Vitals }> {
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
