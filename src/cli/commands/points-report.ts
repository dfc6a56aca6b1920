import { readRecord } from '../../engine/ingest/record.ts'
import type { JobResult } from '../../resources/jobs/kinds/index.ts'
import { reportPointsAsOf } from '../../resources/points-report/points-document.ts'
import { assertReportQuery, type ReportQuery, reportFields } from '../../resources/points-report/report-points.ts'
import { withDatabase } from '../database.ts'
import { withOptions } from '../input/range-options.ts'
import { pointsCsv, pointsText } from '../output/points-text.ts'
import { printFile, printJson, printText } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'
import { runAsJob } from '../run-as-job.ts'

export type PointsReportOptions = Readonly<{
  from: string
  to: string
  knownAt?: string
  closedAt?: string
  pointValue?: string
  json?: true
  csv?: true
}>

/** `laurel points report`: outstanding points at the beginning and the end of a range of days, what changed in between, and what they are worth. */
export async function pointsReport({ json, csv, ...options }: PointsReportOptions): Promise<void> {
  const { from, to, knownAt: known_at, closedAt: closed_at, pointValue: point_value } = options
  const request = { from, to, known_at, closed_at, point_value }
  const query = withOptions(() => queryOf(request))
  const progress = showCounts('{players} players | {duration_formatted}', { players: 0 })
  const report = await reported(query, request, (players) => progress.update({ players })).finally(progress.stop)
  if (json) printJson(report)
  else if (csv) printFile(pointsCsv(report))
  else printText(pointsText(report))
}

function queryOf(request: Readonly<Record<string, string | undefined>>): ReportQuery {
  const query = readRecord(reportFields, request, 'query')
  assertReportQuery(query, 'query', new Date())
  return query
}

async function reported(
  query: ReportQuery,
  request: Readonly<Record<string, string | undefined>>,
  onProgress: (players: number) => void,
): Promise<JobResult<'points-report'>> {
  const ofService = await runAsJob('points-report', request, (count) => onProgress(count('players').done))
  if (ofService !== undefined) return ofService
  const now = new Date().toISOString()
  return withDatabase((db) => reportPointsAsOf(now, db, query, onProgress))
}
