/*
 * Sorts more values than fit into memory, on disk, by the external merge sort of SQLite, which is part of Node.
 */
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'

/** Texts are compared by their bytes in UTF-8. */
export type SortKey = readonly [first: string, second: string, third: number]

export type DiskSort<T> = Readonly<{
  add: (key: SortKey, value: T) => void
  /** The values by their keys, after all have been added. */
  sorted: () => Iterable<T>
  [Symbol.dispose]: () => void
}>

/** Makes an empty sort: on disk, as `createDiskSort`, or in memory. */
export type CreateSort = <T>() => DiskSort<T>

const MEMORY_KIB = 32 * 1024
const SQLITE_FULL = 13

/**
 * An empty sort. Values are kept as JSON. Its files lie in the temporary directory (TMPDIR, or /var/tmp), can be read by their owner only, and have no
 * name, so that nothing is left of them however the process ends. Errors: OperatorError if there is no space, from `add` and `sorted`.
 */
export function createDiskSort<T>(): DiskSort<T> {
  // SQLite's name for a temporary database.
  const db = new DatabaseSync('')
  // What has been added is of no use after a crash.
  db.exec(`pragma journal_mode = off; pragma synchronous = off; pragma temp_store = file; pragma cache_size = -${MEMORY_KIB};
    create table sorted (first text, second text, third integer, value text) strict; begin`)
  const insert = db.prepare('insert into sorted values (?, ?, ?, ?)')
  return {
    add: (key, value) => withRoom(() => insert.run(...key, JSON.stringify(value))),
    *sorted() {
      const rows = db.prepare('select value from sorted order by first, second, third').iterate()
      for (;;) {
        const row = withRoom(() => rows.next())
        if (row.done === true) return
        yield JSON.parse(row.value.value as string) as T
      }
    },
    [Symbol.dispose]: () => db.close(),
  }
}

function withRoom<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode !== SQLITE_FULL) throw error
    throw new OperatorError('no space left in the temporary directory for sorting rows: free some, or set TMPDIR', {
      cause: error,
    })
  }
}
