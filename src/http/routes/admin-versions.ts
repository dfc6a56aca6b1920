import { NotFound } from '../../errors.ts'
import type { Deps } from '../../operations/deps.ts'
import { forgetVersion, isVersionedNoun } from '../../operations/forget-version.ts'
import { abandonable } from '../abandonable.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** Versions of states that were sent too high (decision 71). */
export function adminVersionRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      'POST /api/admin/state-versions/:noun/:id/forget',
      ['support'],
      {},
      async ({ params, deadlineAt, ...request }) => {
        const { noun = '', id = '' } = params
        if (!isVersionedNoun(noun)) throw new NotFound('there is nothing at this address')
        await forgetVersion(abandonable(deps, request), noun, id, deadlineAt)
        return { forgotten: id }
      },
    ),
  ]
}
