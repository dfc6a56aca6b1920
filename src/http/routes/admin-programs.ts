import { NotFound } from '../../errors.ts'
import type { Deps } from '../../operations/deps.ts'
import { programAt } from '../../points/programs.ts'
import { listPrograms } from '../../store/programs.ts'
import { readerOf } from '../../store/reader.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** The program that holds now, with the file it was published from. */
export function adminProgramRoutes(deps: Deps): Route[] {
  return [
    adminRoute('GET', '/api/admin/programs/current', async ({ deadlineAt }) => {
      const current = programAt(deps.programs, deps.now().toISOString())
      const stored = (await listPrograms(readerOf(deps.db, deadlineAt))).find(
        ({ version }) => version === current?.version,
      )
      if (stored === undefined) throw new NotFound('no program holds now')
      return stored
    }),
  ]
}
