/*
 * All routes that need a token. Those that need none are in tokenless-routes.ts.
 */

import type { Deps } from '../deps.ts'
import { accountRoutes } from '../resources/accounts/routes.ts'
import { adminActRoutes } from '../resources/audit-log/routes.ts'
import { countActsBeyond } from '../resources/audit-log/service.ts'
import { adminDraftRoutes } from '../resources/drafts/routes.ts'
import { adminJobRoutes } from '../resources/jobs/routes.ts'
import { adminActivityRoutes } from '../resources/monitoring/routes.ts'
import { countFeedsBeyond } from '../resources/monitoring/service.ts'
import { adminOrderRoutes, recordOrdersRoute } from '../resources/orders/routes.ts'
import { countInactive } from '../resources/personal-data/erase-inactive.ts'
import { personalDataRoutes } from '../resources/personal-data/routes.ts'
import { adminPlayerRoutes, upsertPlayersRoute } from '../resources/players/routes.ts'
import { playerPredictionsRoute, predictionDifferencesRoute } from '../resources/prediction-log/routes.ts'
import { adminSimulationRoutes, predictOrderRoute } from '../resources/predictions/routes.ts'
import { adminProductRoutes, upsertProductsRoute } from '../resources/products/routes.ts'
import { adminProgramTextRoutes } from '../resources/program-checks/routes.ts'
import { adminProgramRoutes } from '../resources/programs/routes.ts'
import { redemptionRoutes } from '../resources/redemptions/routes.ts'
import { adminSessionRoutes } from '../resources/sessions/routes.ts'
import { adminSettingRoutes } from '../resources/settings/routes.ts'
import type { SettingEffects } from '../resources/settings/service.ts'
import { adminStateVersionRoutes } from '../resources/state-versions/routes.ts'
import { adminStatisticsRoutes } from '../resources/statistics/routes.ts'
import { adminTokenRoutes } from '../resources/tokens/routes.ts'
import type { Limits } from '../routing/body-limits.ts'
import type { Route } from '../routing/route.ts'
import type { Refresh } from './refresh.ts'

/** `wakeJobs` makes a job that was just started or cancelled noticed at once; undefined: jobs cannot run here. */
export function allRoutes(deps: Deps, limits: Limits, refresh: Refresh, wakeJobs: (() => void) | undefined): Route[] {
  return [
    predictOrderRoute(deps, limits),
    upsertPlayersRoute(deps, limits),
    upsertProductsRoute(deps, limits),
    recordOrdersRoute(deps, limits),
    ...accountRoutes(deps, limits),
    ...redemptionRoutes(deps),
    ...adminTokenRoutes(deps, refresh.tokens),
    ...adminSimulationRoutes(deps),
    ...adminSessionRoutes(deps, refresh.sessions),
    ...adminActRoutes(deps),
    ...adminPlayerRoutes(deps),
    playerPredictionsRoute(deps),
    ...personalDataRoutes(deps),
    ...adminProductRoutes(deps),
    ...adminOrderRoutes(deps),
    ...adminProgramRoutes(deps, refresh.programs),
    ...adminProgramTextRoutes(deps),
    ...adminDraftRoutes(deps),
    ...adminSettingRoutes(deps, refresh.shop, settingEffects(deps)),
    ...adminStateVersionRoutes(deps),
    ...adminStatisticsRoutes(deps),
    predictionDifferencesRoute(deps),
    ...adminActivityRoutes(deps),
    ...adminJobRoutes(deps, wakeJobs),
  ]
}

/** What the housekeeping would do after a change of a setting. */
function settingEffects(deps: Deps): SettingEffects {
  return {
    'audit-log.keep': async (keep, deadlineAt) => ({ count: await countActsBeyond(deps, keep, deadlineAt) }),
    'sources.keep': async (keep, deadlineAt) => ({ count: await countFeedsBeyond(deps, keep, deadlineAt) }),
    'players.erase-after': (after, deadlineAt) => countInactive(deps, after, deadlineAt),
  }
}
