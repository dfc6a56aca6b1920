import { readerOf } from '../../database/db/reader.ts'
import { programAt } from '../../engine/points/programs.ts'
import type { Deps } from '../../shared/deps.ts'
import { type StoredProgram, selectPrograms } from './store.ts'

/** A published version without its source, and whether it is in effect now. */
export type ListedProgram = Omit<StoredProgram, 'source'> & Readonly<{ inEffectNow: boolean }>

/** All published versions, oldest first, including withdrawn ones. Errors: Unavailable. */
export async function listPrograms(
  { db, now, programs }: Pick<Deps, 'db' | 'now' | 'programs'>,
  deadlineAt: number,
): Promise<ListedProgram[]> {
  const current = programAt(programs(), now().toISOString())?.version
  const stored = await selectPrograms(readerOf(db, deadlineAt))
  return stored.map(({ source: _, ...program }) => ({ ...program, inEffectNow: program.version === current }))
}
