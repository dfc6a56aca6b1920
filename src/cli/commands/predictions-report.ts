import { styleText } from 'node:util'
import { type DeviatingOrder, type PredictionReport, reportPredictions } from '../../operations/report-predictions.ts'
import { oneLine } from '../../operations/reports/text.ts'
import { DEVIATION_REASONS, type DeviationReason } from '../../points/deviation.ts'
import { readTimeRange } from './time-range.ts'
import { showProgress, withStore } from './whole-store.ts'

const NAMES: Readonly<Record<DeviationReason, string>> = {
  program: 'another program',
  player: 'other player facts',
  price: 'other price',
  referral: 'referral',
  order: 'changed order',
  moment: 'another moment',
  'not-known': 'not known',
  unexplained: 'unexplained',
}

/** `laurel predictions report`: how many recorded orders came out as predicted, and why the others did not. */
export async function showPredictionReport({
  from,
  to,
  json,
}: {
  from?: string
  to?: string
  json?: true
}): Promise<void> {
  const asked = readTimeRange({ from, to })
  const span = { from: asked.from ?? '-infinity', to: asked.to ?? 'infinity' }
  await withStore(async (db) => {
    const progress = showProgress('{orders} orders, {predictions} predictions | {duration_formatted}', {
      orders: 0,
      predictions: 0,
    })
    const report = await reportPredictions(db, span, progress.update).finally(progress.stop)
    process.stdout.write(json ? `${JSON.stringify(jsonOf(report), null, 2)}\n` : textOf(report))
  })
}

/** How often each reason was among those of an order; one order may have several. */
function countsByReason({ groups }: PredictionReport): (readonly [DeviationReason, number])[] {
  return DEVIATION_REASONS.map((reason) => {
    const having = groups.filter(({ reasons }) => reasons.includes(reason))
    return [reason, having.reduce((sum, { orders }) => sum + orders, 0)] as const
  })
}

function jsonOf(report: PredictionReport): object {
  const { orders, noneKept, predicted, cameTrue, differed, equalAtFirst, changedLater, predictions, groups } = report
  return {
    predictions,
    orders,
    none_kept: noneKept,
    predicted,
    came_true: cameTrue,
    differed,
    equal_at_first: equalAtFirst,
    changed_later: changedLater,
    by_reason: Object.fromEntries(countsByReason(report)),
    by_reasons: groups.map(({ reasons, orders, examples }) => ({
      reasons,
      orders,
      examples: examples.map(({ userId, orderId, recordedAt, predicted, recorded, pointsNow }) => ({
        order_id: orderId,
        user_id: userId,
        recorded_at: recordedAt,
        predicted: { points: Number(predicted.points), level: predicted.levelAfter, program: predicted.program },
        recorded: { points: Number(recorded.points), level: recorded.levelAfter, program: recorded.program },
        points_now: Number(pointsNow),
      })),
    })),
  }
}

function textOf(report: PredictionReport): string {
  const { orders, noneKept, predicted, cameTrue, differed, changedLater, predictions, groups } = report
  const later = changedLater === 0 ? '' : `, ${changedLater} of them only later, as the order was changed`
  const counts = [
    ['orders recorded', orders, ''],
    ['  no prediction kept', noneKept, ''],
    ['  predicted', predicted, ''],
    ['    came true', cameTrue, share(cameTrue, predicted)],
    ['    differed', differed, `${share(differed, predicted)}${later}`],
  ] as const
  const several = groups.some(({ reasons }) => reasons.length > 1)
  const each = countsByReason(report).filter(([, count]) => count > 0)
  const unexplained = groups.find(({ reasons }) => reasons.includes('unexplained'))
  return [
    `predictions kept: ${predictions.kept} of ${predictions.answered}`,
    ...rows(counts),
    ...(groups.length === 0 ? [] : ['', 'what differed']),
    ...rows(groups.map(({ reasons, orders }) => [`  ${namesOf(reasons)}`, orders, share(orders, differed)])),
    ...(several
      ? ['', 'each counted wherever it occurs', ...rows(each.map(([name, count]) => [`  ${NAMES[name]}`, count, '']))]
      : []),
    ...groups.flatMap(({ reasons, examples }) => [
      '',
      `${namesOf(reasons)}, for example`,
      ...examples.map(exampleText),
    ]),
    ...(unexplained === undefined
      ? []
      : [
          '',
          styleText(
            'red',
            `UNEXPLAINED: ${unexplained.orders}. Nothing differed, so this is a fault of Laurel: please report it.`,
            { stream: process.stdout },
          ),
        ]),
    '',
  ].join('\n')
}

function namesOf(reasons: readonly DeviationReason[]): string {
  return reasons.map((reason) => NAMES[reason]).join(' and ')
}

function exampleText({ userId, orderId, recordedAt, predicted, recorded, pointsNow }: DeviatingOrder): string {
  const came = ({ points, levelAfter, program }: DeviatingOrder['predicted']) =>
    `${points} points and ${levelAfter}, by program ${program}`
  const now = pointsNow === recorded.points ? '' : `; now it gives ${pointsNow}`
  return [
    `  order ${orderId} of ${userId}, first recorded ${recordedAt}`,
    `    predicted ${came(predicted)}`,
    `    recorded  ${came(recorded)}${now}`,
  ]
    .map(oneLine)
    .join('\n')
}

/** Rounded down, so that only all are 100. */
function share(part: number, whole: number): string {
  return whole === 0 ? '' : `${(Math.floor((part * 1_000) / whole) / 10).toFixed(1)} %`
}

/** Names, counts to the right, and what is said of them. */
function rows(all: readonly (readonly [name: string, count: number, said: string])[]): string[] {
  const [names, counts] = [0, 1].map((column) => Math.max(...all.map((row) => String(row[column as 0 | 1]).length)))
  return all.map(([name, count, said]) =>
    `${name.padEnd(names!)}  ${String(count).padStart(counts!)}  ${said}`.trimEnd(),
  )
}
