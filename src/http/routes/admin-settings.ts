import type { Deps } from '../../operations/deps.ts'
import { changeSettings } from '../../operations/settings/change-settings.ts'
import { showSettings } from '../../operations/settings/show-settings.ts'
import { abandonable } from '../abandonable.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'
import type { Answer } from './answers.ts'

/** The settings of the shop (decision 70). `refresh` makes a change known to this process at once. */
export function adminSettingRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  const show = async (deadlineAt: number): Promise<Answer<'GET /api/admin/settings'>> => {
    const settings = await showSettings(deps, deadlineAt)
    return {
      settings: settings.map(({ key, value, fallback, about, changed }) => ({
        ...{ key, value, default: fallback, about },
        ...{ changed_at: changed?.at ?? null, changed_by: changed?.by ?? null },
      })),
    }
  }
  return [
    adminRoute('GET /api/admin/settings', ['read'], {}, ({ deadlineAt }) => show(deadlineAt)),
    adminRoute(
      'PUT /api/admin/settings',
      ['admin'],
      { takesBody: true },
      async ({ data, caller, deadlineAt, ...request }) => {
        await changeSettings(abandonable(deps, request), data, caller.tokenId, deadlineAt)
        await refresh()
        return show(deadlineAt)
      },
    ),
  ]
}
