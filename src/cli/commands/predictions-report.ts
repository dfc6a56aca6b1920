import { reportPredictions } from '../../operations/report-predictions.ts'
import { predictionsDocumentOf } from '../../operations/reports/predictions-document.ts'
import { withDatabase } from '../database.ts'
import { readTimeRange, type TimeRangeOptions } from '../input/time-range.ts'
import { predictionsText } from '../output/predictions-text.ts'
import { printJson } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'

export type PredictionsReportOptions = TimeRangeOptions & Readonly<{ json?: true }>

/** `laurel predictions report`: how many recorded orders came out as predicted, and why the others did not. */
export async function predictionsReport({ json, ...range }: PredictionsReportOptions): Promise<void> {
  const { from = '-infinity', to = 'infinity' } = readTimeRange(range)
  await withDatabase(async (db) => {
    const progress = showCounts('{orders} orders, {predictions} predictions | {duration_formatted}', {
      orders: 0,
      predictions: 0,
    })
    const report = await reportPredictions(db, { from, to }, progress.update).finally(progress.stop)
    const found = predictionsDocumentOf(report)
    if (json) printJson(found)
    else process.stdout.write(predictionsText(found))
  })
}
