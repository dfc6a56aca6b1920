import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { programsFingerprint } from './store.ts'
import { loadPrograms } from './stored-programs.ts'

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
