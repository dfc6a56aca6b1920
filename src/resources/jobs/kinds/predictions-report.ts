import { moment } from '../../../engine/ingest/fields.ts'
import { optional } from '../../../engine/ingest/record.ts'
import { DIFFERENCE_REASONS } from '../../../engine/points/prediction-difference.ts'
import { assertRange, jobKind } from '../job-kind.ts'

/** Reports how many recorded orders came out as predicted. */
export const reportJob = jobKind({
  scope: 'program',
  worksOn: 'snapshot',
  shows: {
    shown: [
      ...DIFFERENCE_REASONS,
      ...[
        'as_of',
        'quality',
        'answered',
        'kept',
        'orders',
        'none_kept',
        'predicted',
        'came_true',
        'differed',
        'equal_at_first',
        'changed_later',
        'reasons',
        'order_id',
        'recorded_at',
        'points',
        'level',
        'program',
        'points_now',
      ],
    ],
    ids: ['user_id'],
  },
  fields: { from: optional('from', moment, undefined), to: optional('to', moment, undefined) },
  words: {
    title: 'ReportJob',
    description: 'Compares recorded orders with their predictions',
    fields: {
      from: 'orders first recorded at this timestamp or later; default: from the first',
      to: 'orders first recorded before this timestamp; default: to the last',
    },
  },
  check: ({ from, to }) => assertRange(from, to),
  run: async ({ from = '-infinity', to = 'infinity' }, { openDatabase, now, report }) => {
    const [{ reportPredictions }, { predictionsDocumentOf }] = await Promise.all([
      import('../../prediction-log/report-predictions.ts'),
      import('../../prediction-log/predictions-document.ts'),
    ])
    const found = await reportPredictions(await openDatabase(), { from, to }, now, ({ orders, predictions }) =>
      report([
        { of: 'orders', done: orders, total: null },
        { of: 'predictions', done: predictions, total: null },
      ]),
    )
    return predictionsDocumentOf(found)
  },
})
