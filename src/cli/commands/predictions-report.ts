import type { JobResult } from '../../resources/jobs/kinds/index.ts'
import { predictionsDocumentOf } from '../../resources/prediction-log/predictions-document.ts'
import { reportPredictions } from '../../resources/prediction-log/report-predictions.ts'
import { withDatabase } from '../database.ts'
import { readTimeRange, type TimeRangeOptions } from '../input/range-options.ts'
import { predictionsText } from '../output/predictions-text.ts'
import { printColoured, printJson } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'
import { runAsJob } from '../run-as-job.ts'

export type PredictionsReportOptions = TimeRangeOptions & Readonly<{ json?: true }>

type Counts = { orders: number; predictions: number }

/** `laurel predictions report`: how many recorded orders came out as predicted, and why the others did not. */
export async function predictionsReport({ json, ...options }: PredictionsReportOptions): Promise<void> {
  const range = readTimeRange(options)
  const progress = showCounts<Counts>('{orders} orders, {predictions} predictions | {duration_formatted}', {
    orders: 0,
    predictions: 0,
  })
  const report = await reported(range, progress.update).finally(progress.stop)
  if (json) printJson(report)
  else printColoured(predictionsText(report))
}

async function reported(range: TimeRangeOptions, update: (done: Counts) => void): Promise<JobResult<'report'>> {
  const ofService = await runAsJob('report', range, (count) =>
    update({ orders: count('orders').done, predictions: count('predictions').done }),
  )
  if (ofService !== undefined) return ofService
  const { from = '-infinity', to = 'infinity' } = range
  const now = new Date().toISOString()
  return predictionsDocumentOf(await withDatabase((db) => reportPredictions(db, { from, to }, now, update)))
}
