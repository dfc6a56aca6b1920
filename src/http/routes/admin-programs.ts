import type { Deps } from '../../operations/deps.ts'
import { listPrograms } from '../../operations/list-programs.ts'
import { publishProgram } from '../../operations/publish-program.ts'
import { showProgram } from '../../operations/show-program.ts'
import { withdrawProgram } from '../../operations/withdraw-program.ts'
import { abandonable } from '../abandonable.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** Points programs: what was published, what holds now, a new version, and one taken back. `refresh` makes a change known to this process at once. */
export function adminProgramRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  return [
    adminRoute('GET /api/admin/programs', ['read', 'program'], {}, async ({ deadlineAt }) => {
      const programs = await listPrograms(deps, deadlineAt)
      return { programs: programs.map(({ holdsNow, ...program }) => ({ ...program, holds_now: holdsNow })) }
    }),
    adminRoute(
      'POST /api/admin/programs',
      ['publish'],
      { takesBody: true },
      async ({ data, caller, deadlineAt, ...request }) => {
        const published = await publishProgram(abandonable(deps, request), data, caller.tokenId, deadlineAt)
        await refresh()
        return published
      },
    ),
    adminRoute(
      'POST /api/admin/programs/:version/withdraw',
      ['publish'],
      {},
      async ({ params, caller, deadlineAt, ...request }) => {
        await withdrawProgram(abandonable(deps, request), params.version!, caller.tokenId, deadlineAt)
        await refresh()
        return { withdrawn: Number(params.version) }
      },
    ),
    adminRoute('GET /api/admin/programs/:version', ['read', 'program'], {}, ({ params, deadlineAt }) =>
      showProgram(deps, params.version!, deadlineAt),
    ),
  ]
}
