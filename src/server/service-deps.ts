import type { Activity } from '../resources/activity/activity.ts'
import type { PredictionLog } from '../resources/predictions/prediction-log.ts'
import type { Deps } from '../shared/deps.ts'

/** The dependencies as a whole service has them: what only counts for an operation is also flushed and swept here. */
export type ServiceDeps = Deps & Readonly<{ predictions: PredictionLog; activity: Activity }>
