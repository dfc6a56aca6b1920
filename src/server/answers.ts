/*
 * What the whole API answers: the commands and the console take their types from here.
 */
import type { Static } from 'typebox'
import { ACCOUNT_ANSWERS } from '../resources/accounts/answers.ts'
import { ACT_ANSWERS } from '../resources/audit-log/answers.ts'
import { DRAFT_ANSWERS } from '../resources/drafts/answers.ts'
import { JOB_ANSWERS } from '../resources/jobs/answers.ts'
import { ACTIVITY_ANSWERS } from '../resources/monitoring/answers.ts'
import { ORDER_ANSWERS } from '../resources/orders/answers.ts'
import { PLAYER_ANSWERS } from '../resources/players/answers.ts'
import { PREDICTION_LOG_ANSWERS } from '../resources/prediction-log/answers.ts'
import { PREDICTION_ANSWERS } from '../resources/predictions/answers.ts'
import { PRODUCT_ANSWERS } from '../resources/products/answers.ts'
import { PROGRAM_CHECK_ANSWERS } from '../resources/program-checks/answers.ts'
import { PROGRAM_ANSWERS } from '../resources/programs/answers.ts'
import { REDEMPTION_ANSWERS } from '../resources/redemptions/answers.ts'
import { SESSION_ANSWERS } from '../resources/sessions/answers.ts'
import { SETTING_ANSWERS } from '../resources/settings/answers.ts'
import { STATE_VERSION_ANSWERS } from '../resources/state-versions/answers.ts'
import { STATISTICS_ANSWERS } from '../resources/statistics/answers.ts'
import { TOKEN_ANSWERS } from '../resources/tokens/answers.ts'

/** The body of a 200, by method and path. */
export const ANSWERS = {
  ...ACCOUNT_ANSWERS,
  ...ACTIVITY_ANSWERS,
  ...ACT_ANSWERS,
  ...DRAFT_ANSWERS,
  ...JOB_ANSWERS,
  ...ORDER_ANSWERS,
  ...PLAYER_ANSWERS,
  ...PREDICTION_ANSWERS,
  ...PREDICTION_LOG_ANSWERS,
  ...PRODUCT_ANSWERS,
  ...PROGRAM_CHECK_ANSWERS,
  ...PROGRAM_ANSWERS,
  ...REDEMPTION_ANSWERS,
  ...SESSION_ANSWERS,
  ...SETTING_ANSWERS,
  ...STATE_VERSION_ANSWERS,
  ...STATISTICS_ANSWERS,
  ...TOKEN_ANSWERS,
} as const

/** A route by method and path, like `GET /api/admin/tokens`. */
export type RouteName = keyof typeof ANSWERS
export type Answer<Name extends RouteName> = Static<(typeof ANSWERS)[Name]>
