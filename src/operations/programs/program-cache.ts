import type { PublishedProgram } from '../../points/program-model.ts'
import { readerOf } from '../../store/db/reader.ts'
import type { Db } from '../../store/db/transaction.ts'
import { programsMark } from '../../store/programs.ts'
import { loadPrograms } from './load-programs.ts'

/** Every published version, in memory, so that no request pays a query for its program. */
export type ProgramCache = Readonly<{
  all: () => readonly PublishedProgram[]
  /** Loads all versions, unless nothing was published or withdrawn since the last time. Errors: Unavailable, OperatorError; then what was known stays. */
  refresh: (deadlineAt: number) => Promise<void>
}>

/** A cache that is empty until its first refresh. */
export function createProgramCache(db: Db): ProgramCache {
  let programs: readonly PublishedProgram[] = []
  let mark = ''
  return {
    all: () => programs,
    refresh: async (deadlineAt) => {
      // The mark is read before the list: what changes in between is found the next time.
      const found = await programsMark(readerOf(db, deadlineAt))
      if (found === mark) return
      programs = await loadPrograms(db, deadlineAt)
      mark = found
    },
  }
}
