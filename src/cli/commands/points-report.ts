import { type PointsReport, reportPoints } from '../../operations/report-points.ts'
import { withDatabase } from '../database.ts'
import { withOptions } from '../input/refused-option.ts'
import { printJson } from '../output/print.ts'
import { showCounts } from '../output/progress.ts'

export type PointsReportOptions = Readonly<{ from: string; to: string; knownAt?: string; json?: true }>

/** `laurel points report`: outstanding points at both ends of a span, what led from the one to the other, and when they end. */
export async function pointsReport({ json, knownAt: known_at, ...span }: PointsReportOptions): Promise<void> {
  const progress = showCounts('{players} players | {duration_formatted}', { players: 0 })
  const query = { ...span, known_at }
  const found = await withOptions(() =>
    withDatabase((db) => reportPoints(db, query, (players) => progress.update({ players }))),
  ).finally(progress.stop)
  const document = documentOf(found)
  if (json) return printJson({ ...span, ...(known_at === undefined ? {} : { known_at }), ...document })
  const { ends, players, ...figures } = document
  const lines = [
    `${players} players, ${span.from} to ${span.to}`,
    ...Object.entries(figures).map(([name, points]) => `${name.padEnd(12)}${String(points).padStart(14)}`),
    'ends in',
    ...Object.entries(ends).map(([month, points]) => `  ${month.padEnd(10)}${String(points).padStart(14)}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Sums over all players may be more than JSON carries as numbers: points are texts. */
function documentOf({ players, ends, ...figures }: PointsReport) {
  return {
    players,
    ...Object.fromEntries(Object.entries(figures).map(([name, points]) => [name, String(points)])),
    ends: Object.fromEntries([...ends].map(([month, points]) => [month, String(points)])),
  }
}
