/*
 * All routes that need a token. Those that need none are in tokenless-routes.ts.
 */
import type { Refresh } from '../../operations/background/refresh.ts'
import type { Deps } from '../../operations/deps.ts'
import type { Limits, Route } from '../route.ts'
import { accountRoutes } from './accounts.ts'
import { adminActivityRoutes } from './admin/activity.ts'
import { adminActRoutes } from './admin/acts.ts'
import { adminDraftRoutes } from './admin/drafts.ts'
import { adminJobRoutes } from './admin/jobs.ts'
import { adminOrderRoutes } from './admin/orders.ts'
import { adminPlayerRoutes } from './admin/players.ts'
import { adminProductRoutes } from './admin/products.ts'
import { adminProgramTextRoutes } from './admin/program-texts.ts'
import { adminProgramRoutes } from './admin/programs.ts'
import { adminSessionRoutes } from './admin/sessions.ts'
import { adminSettingRoutes } from './admin/settings.ts'
import { adminSimulationRoutes } from './admin/simulations.ts'
import { adminStateVersionRoutes } from './admin/state-versions.ts'
import { adminStatisticsRoutes } from './admin/statistics.ts'
import { adminTokenRoutes } from './admin/tokens.ts'
import { integrationRoutes } from './integration-upserts.ts'
import { predictOrderRoute } from './predict-order.ts'
import { redemptionRoutes } from './redemptions.ts'

/** `wakeJobs` makes a job that was just started or cancelled noticed at once; undefined: jobs cannot run here. */
export function allRoutes(deps: Deps, limits: Limits, refresh: Refresh, wakeJobs: (() => void) | undefined): Route[] {
  return [
    predictOrderRoute(deps, limits),
    ...integrationRoutes(deps, limits),
    ...accountRoutes(deps, limits),
    ...redemptionRoutes(deps),
    ...adminTokenRoutes(deps, refresh.tokens),
    ...adminSimulationRoutes(deps),
    ...adminSessionRoutes(deps, refresh.sessions),
    ...adminActRoutes(deps),
    ...adminPlayerRoutes(deps),
    ...adminProductRoutes(deps),
    ...adminOrderRoutes(deps),
    ...adminProgramRoutes(deps, refresh.programs),
    ...adminProgramTextRoutes(deps),
    ...adminDraftRoutes(deps),
    ...adminSettingRoutes(deps, refresh.shop),
    ...adminStateVersionRoutes(deps),
    ...adminStatisticsRoutes(deps),
    ...adminActivityRoutes(deps),
    ...adminJobRoutes(deps, wakeJobs),
  ]
}
