import { readerOf } from '../../database/db/reader.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { programAt } from '../../engine/points/programs.ts'
import { NotFound } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import { type StoredProgram, selectPrograms } from './store.ts'

/**
 * A published version with its source. `version` is its number as a string, or `current` for the one in effect now.
 * Errors: NotFound, Unavailable.
 */
export async function showProgram(
  { db, now, programs }: Pick<Deps, 'db' | 'now' | 'programs'>,
  version: string,
  deadlineAt: number,
): Promise<StoredProgram> {
  const current = programAt(programs(), now().toISOString())?.version
  const wanted = version === 'current' ? String(current) : version
  const stored = await selectPrograms(readerOf(db, deadlineAt))
  const found = stored.find((program) => String(program.version) === wanted)
  if (found === undefined) throw new NotFound(`there is no program version ${shortened(version)}`)
  return found
}
