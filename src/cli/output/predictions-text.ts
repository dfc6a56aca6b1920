import { DIFFERENCE_REASONS } from '../../engine/points/prediction-difference.ts'
import type { JobResult } from '../../resources/jobs/kinds/index.ts'
import { REASON_NAMES, reasonNames, shareText } from '../../resources/prediction-log/predictions-document.ts'
import { escapeControls } from '../../text.ts'
import { coloured, provenanceText } from './print.ts'

type PredictionsResult = JobResult<'report'>
type Group = PredictionsResult['by_reasons'][number]
type Example = Group['examples'][number]
type Row = readonly [name: string, count: number, remark: string]

/** The report on predictions, for people at a terminal. */
export function predictionsText(report: PredictionsResult): string {
  const { as_of, quality, predictions, by_reasons: groups } = report
  const provenance = provenanceText(as_of, quality)
  return [
    ...(provenance === '' ? [] : [provenance]),
    `predictions kept: ${predictions.kept} of ${predictions.answered}`,
    ...rows(countRows(report)),
    ...(groups.length === 0 ? [] : ['', 'what differed']),
    ...rows(groups.map(({ reasons, orders }) => [`  ${namesOf(reasons)}`, orders, shareText(orders, report.differed)])),
    ...singleReasons(report),
    ...groups.flatMap(({ reasons, examples }) => [
      '',
      `${namesOf(reasons)}, for example`,
      ...examples.map(exampleText),
    ]),
    ...unexplainedWarning(groups),
    '',
  ].join('\n')
}

function countRows({ orders, none_kept, predicted, came_true, differed, changed_later }: PredictionsResult): Row[] {
  const later = changed_later === 0 ? '' : `, ${changed_later} of them changed later`
  return [
    ['orders recorded', orders, ''],
    ['  no prediction kept', none_kept, ''],
    ['  predicted', predicted, ''],
    ['    came true', came_true, `${shareText(came_true, predicted)}${later}`],
    ['    differed', differed, shareText(differed, predicted)],
  ]
}

const namesOf = (reasons: Group['reasons']) => escapeControls(reasonNames(reasons))

/** Each reason by itself, if any order has several. */
function singleReasons({ by_reason: counts, by_reasons: groups }: PredictionsResult): string[] {
  if (!groups.some(({ reasons }) => reasons.length > 1)) return []
  const occurring = DIFFERENCE_REASONS.filter((reason) => counts[reason] > 0)
  return [
    '',
    'by reason (an order may have several)',
    ...rows(occurring.map((reason) => [`  ${REASON_NAMES[reason]}`, counts[reason], ''])),
  ]
}

function exampleText({ user_id, order_id, recorded_at, predicted, recorded, points_now }: Example): string {
  const outcome = ({ points, level, program }: Example['predicted']) =>
    `${points} points and ${level}, by program ${program}`
  const now = points_now === recorded.points ? '' : `; now it gives ${points_now}`
  return [
    `  order ${order_id} of ${user_id}, first recorded ${recorded_at}`,
    `    predicted ${outcome(predicted)}`,
    `    recorded  ${outcome(recorded)}${now}`,
  ]
    .map(escapeControls)
    .join('\n')
}

function unexplainedWarning(groups: readonly Group[]): string[] {
  const unexplained = groups.find(({ reasons }) => reasons.includes('unexplained'))
  if (unexplained === undefined) return []
  const warning = `UNEXPLAINED: ${unexplained.orders}. No input differed: this is a bug in Laurel, please report it.`
  return ['', coloured('red', warning)]
}

/** Names, right-aligned counts, and a remark on each. */
function rows(all: readonly Row[]): string[] {
  const [names, counts] = [0, 1].map((column) => Math.max(...all.map((row) => String(row[column as 0 | 1]).length)))
  return all.map(([name, count, remark]) =>
    `${name.padEnd(names!)}  ${String(count).padStart(counts!)}  ${remark}`.trimEnd(),
  )
}
