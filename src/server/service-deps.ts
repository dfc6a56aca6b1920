import type { Deps } from '../deps.ts'
import type { Activity } from '../resources/monitoring/activity.ts'
import type { PredictionLog } from '../resources/prediction-log/prediction-log.ts'

/** The dependencies as a whole service has them: what only counts for an operation is also flushed and swept here. */
export type ServiceDeps = Deps & Readonly<{ predictions: PredictionLog; activity: Activity }>
