import type { PublishedProgram } from '../../points/program-model.ts'
import { readerOf } from '../../store/db/reader.ts'
import type { Db } from '../../store/db/transaction.ts'
import { programsFingerprint } from '../../store/programs.ts'
import { loadPrograms } from './load-programs.ts'

/** All published versions, in memory, so that no request has to query for its program. */
export type ProgramCache = Readonly<{
  all: () => readonly PublishedProgram[]
  /** Reloads all versions if any was published or withdrawn since the last time. Errors: Unavailable, OperatorError; the cache is then unchanged. */
  refresh: (deadlineAt: number) => Promise<void>
}>

/** Creates a cache that is empty until its first refresh. */
export function createProgramCache(db: Db): ProgramCache {
  let programs: readonly PublishedProgram[] = []
  let fingerprint = ''
  return {
    all: () => programs,
    refresh: async (deadlineAt) => {
      // The fingerprint is read before the list: a change in between is found the next time.
      const found = await programsFingerprint(readerOf(db, deadlineAt))
      if (found === fingerprint) return
      programs = await loadPrograms(db, deadlineAt)
      fingerprint = found
    },
  }
}
