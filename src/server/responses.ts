/*
 * What the whole API answers: the commands and the console take their types from here.
 */
import type { Static } from 'typebox'
import { ACCOUNT_RESPONSES } from '../resources/accounts/responses.ts'
import { ACT_RESPONSES } from '../resources/audit-log/responses.ts'
import { DRAFT_RESPONSES } from '../resources/drafts/responses.ts'
import { JOB_RESPONSES } from '../resources/jobs/responses.ts'
import { ACTIVITY_RESPONSES } from '../resources/monitoring/responses.ts'
import { ORDER_RESPONSES } from '../resources/orders/responses.ts'
import { PERSONAL_DATA_RESPONSES } from '../resources/personal-data/responses.ts'
import { PLAYER_RESPONSES } from '../resources/players/responses.ts'
import { PREDICTION_LOG_RESPONSES } from '../resources/prediction-log/responses.ts'
import { PREDICTION_RESPONSES } from '../resources/predictions/responses.ts'
import { PRODUCT_RESPONSES } from '../resources/products/responses.ts'
import { PROGRAM_CHECK_RESPONSES } from '../resources/program-checks/responses.ts'
import { PROGRAM_RESPONSES } from '../resources/programs/responses.ts'
import { REDEMPTION_RESPONSES } from '../resources/redemptions/responses.ts'
import { SESSION_RESPONSES } from '../resources/sessions/responses.ts'
import { SETTING_RESPONSES } from '../resources/settings/responses.ts'
import { STATE_VERSION_RESPONSES } from '../resources/state-versions/responses.ts'
import { STATISTICS_RESPONSES } from '../resources/statistics/responses.ts'
import { TOKEN_RESPONSES } from '../resources/tokens/responses.ts'

/** The body of a 200, by method and path. */
export const RESPONSES = {
  ...ACCOUNT_RESPONSES,
  ...ACTIVITY_RESPONSES,
  ...ACT_RESPONSES,
  ...DRAFT_RESPONSES,
  ...JOB_RESPONSES,
  ...ORDER_RESPONSES,
  ...PERSONAL_DATA_RESPONSES,
  ...PLAYER_RESPONSES,
  ...PREDICTION_RESPONSES,
  ...PREDICTION_LOG_RESPONSES,
  ...PRODUCT_RESPONSES,
  ...PROGRAM_CHECK_RESPONSES,
  ...PROGRAM_RESPONSES,
  ...REDEMPTION_RESPONSES,
  ...SESSION_RESPONSES,
  ...SETTING_RESPONSES,
  ...STATE_VERSION_RESPONSES,
  ...STATISTICS_RESPONSES,
  ...TOKEN_RESPONSES,
} as const

/** A route by method and path, like `GET /api/admin/tokens`. */
export type RouteName = keyof typeof RESPONSES
export type RouteResponse<Name extends RouteName> = Static<(typeof RESPONSES)[Name]>
