import { runInParts } from '../../bulk/run-in-parts.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import { type ReadProgram, readStoredProgramInParts } from '../../engine/ingest/program-text.ts'
import { finish, type InParts } from '../../engine/points/in-parts.ts'
import { assigningFirstDays } from '../../engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { sortPrograms } from '../../engine/points/programs.ts'
import type { Instant } from '../../engine/points/units.ts'
import { OperatorError } from '../../errors.ts'
import { programsFingerprint, type StoredProgram, selectPrograms } from './store.ts'

/**
 * All published versions, ordered by the moment from which they hold, including withdrawn ones, as orders may refer to them.
 * Errors: OperatorError if one cannot be read, as all were checked when published; Unavailable.
 */
export async function loadPrograms(db: Db, deadlineAt: number): Promise<PublishedProgram[]> {
  return await readPrograms(readerOf(db, deadlineAt))
}

/** The same, read within the caller's transaction or snapshot. */
export async function readPrograms(db: Queryable): Promise<PublishedProgram[]> {
  return await runInParts(programsInParts(await selectPrograms(db)))
}

/** The same, and the numbers of the versions whose file is this text. */
export async function readProgramsBeside(
  db: Queryable,
  source: string,
): Promise<Readonly<{ published: PublishedProgram[]; sameVersions: ReadonlySet<number> }>> {
  const stored = await selectPrograms(db)
  const same = stored.filter((version) => version.source === source)
  return { published: programsIn(stored), sameVersions: new Set(same.map(({ version }) => version)) }
}

/** The programs of stored versions, in the order that `loadPrograms` gives. Errors: OperatorError if one cannot be read. */
export function programsIn(stored: readonly StoredProgram[]): PublishedProgram[] {
  return finish(programsInParts(stored))
}

function* programsInParts(stored: readonly StoredProgram[]): InParts<PublishedProgram[]> {
  const programs: PublishedProgram[] = []
  for (const version of stored) programs.push(publishedAs(version, yield* readStoredProgramInParts(version.source)))
  return sortPrograms(programs)
}

/** Reads all versions, filtered as by `selectProgramsKnownAt` if a moment is given. */
export async function readProgramsKnownAt(db: Queryable, knownAt: Instant | undefined): Promise<PublishedProgram[]> {
  const programs = await readPrograms(db)
  return knownAt === undefined ? programs : await selectProgramsKnownAt(db, programs, knownAt)
}

/** The `programs` published by a moment, withdrawn only if they were by then: results computed from them never change. */
export async function selectProgramsKnownAt(
  db: Queryable,
  programs: readonly PublishedProgram[],
  knownAt: Instant,
): Promise<PublishedProgram[]> {
  const hasHappened = (at: Instant | null) => at !== null && at <= knownAt
  const published = (await selectPrograms(db)).filter(({ published_at }) => hasHappened(published_at))
  const isWithdrawn = new Map(published.map(({ version, withdrawn_at }) => [version, hasHappened(withdrawn_at)]))
  return programs
    .filter(({ version }) => isWithdrawn.has(version))
    .map(({ version, from, program }) => ({
      ...{ version, from, program },
      ...(isWithdrawn.get(version) ? { withdrawn: true } : {}),
    }))
}

function publishedAs(stored: StoredProgram, read: ReadProgram): PublishedProgram {
  const { version, holds_from: from, withdrawn_at: withdrawnAt } = stored
  if ('program' in read) {
    const program = stored.rounds_first_days ? read.program : assigningFirstDays(read.program)
    return { version, from, program, ...(withdrawnAt === null ? {} : { withdrawn: true }) }
  }
  const [issue] = read.issues
  throw new OperatorError(`program version ${version} in the database cannot be read: ${issue?.path} ${issue?.error}`)
}

/** All published versions as texts. */
export async function readStoredPrograms(db: Queryable): Promise<readonly StoredProgram[]> {
  return await selectPrograms(db)
}

export type { StoredProgram } from './store.ts'

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
      const latest = await programsFingerprint(readerOf(db, deadlineAt))
      if (latest === fingerprint) return
      programs = await loadPrograms(db, deadlineAt)
      fingerprint = latest
    },
  }
}
