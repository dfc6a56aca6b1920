import { NotFound } from '../../errors.ts'
import { shortened } from '../../ingest/shown.ts'
import type { Deps } from '../../operations/deps.ts'
import { publishProgram } from '../../operations/publish-program.ts'
import { withdrawProgram } from '../../operations/withdraw-program.ts'
import { programAt } from '../../points/programs.ts'
import { readerOf } from '../../store/db/reader.ts'
import { type StoredProgram, selectPrograms } from '../../store/programs.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** Points programs: what was published, what holds now, a new version, and one taken back. `refresh` makes a change known to this process at once. */
export function adminProgramRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  const currentVersion = () => programAt(deps.programs(), deps.now().toISOString())?.version
  const stored = (deadlineAt: number) => selectPrograms(readerOf(deps.db, deadlineAt))
  return [
    adminRoute('GET', '/api/admin/programs', async ({ deadlineAt }) => {
      const current = currentVersion()
      const programs = await stored(deadlineAt)
      return {
        programs: programs.map(({ source: _, ...program }) => ({ ...program, holds_now: program.version === current })),
      }
    }),
    adminRoute('POST', '/api/admin/programs', async ({ data, caller, deadlineAt }) => {
      const published = await publishProgram(deps, data, caller.tokenId, deadlineAt)
      await refresh()
      return published
    }),
    adminRoute('POST', '/api/admin/programs/:version/withdraw', async ({ params, caller, deadlineAt }) => {
      await withdrawProgram(deps, params.version!, caller.tokenId, deadlineAt)
      await refresh()
      return { withdrawn: Number(params.version) }
    }),
    adminRoute('GET', '/api/admin/programs/:version', async ({ params, deadlineAt }): Promise<StoredProgram> => {
      const wanted = params.version === 'current' ? String(currentVersion()) : params.version
      const found = (await stored(deadlineAt)).find(({ version }) => String(version) === wanted)
      if (found === undefined) throw new NotFound(`there is no program version ${shortened(params.version!)}`)
      return found
    }),
  ]
}
