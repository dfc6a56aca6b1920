import { timestamp } from '../../../engine/ingest/fields.ts'
import { optional } from '../../../engine/ingest/record.ts'
import { addedField, personal, Type } from '../../../engine/points/json-schema.ts'
import { DIFFERENCE_REASONS, type DifferenceReason } from '../../../engine/points/prediction-difference.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../../routing/shared-responses.ts'
import { assertRange, jobKind } from '../job-kind.ts'

const { listOf, text, whole } = RESPONSE_PARTS
const { quality, asOf } = SHARED_RESPONSES

const outcome = Type.Object(
  { points: whole('points of the order'), level: text('level after the order'), program: whole('program version') },
  { title: 'OrderOutcome', description: 'What an order came to' },
)

const reasons = Object.fromEntries(DIFFERENCE_REASONS.map((reason) => [reason, whole('count of orders')])) as Record<
  DifferenceReason,
  ReturnType<typeof whole>
>

const result = Type.Object(
  {
    as_of: asOf,
    quality: addedField(quality),
    predictions: Type.Object(
      { answered: whole('count of predictions answered'), kept: whole('count of those stored') },
      { description: 'predictions of the time range' },
    ),
    orders: whole('count of orders'),
    none_kept: whole('count of orders without a stored prediction'),
    predicted: whole('count of orders with one'),
    came_true: whole('count of orders recorded as predicted'),
    differed: whole('count of orders recorded otherwise'),
    equal_at_first: whole('former name of came_true'),
    changed_later: whole('count of orders recorded as predicted and changed later'),
    by_reason: Type.Object(reasons, { description: 'count of differing orders by reason; an order may have several' }),
    by_reasons: listOf(
      Type.Object(
        {
          reasons: listOf(
            Type.Enum([...DIFFERENCE_REASONS], { type: 'string' }),
            'inputs that differed. not-known: they were not stored. unexplained: none differed, a bug',
          ),
          orders: whole('count of orders'),
          examples: listOf(
            Type.Object(
              {
                order_id: text('order ID'),
                user_id: personal('id', text('player ID')),
                recorded_at: RESPONSE_PARTS.timestamp('time of the first recording'),
                predicted: outcome,
                recorded: outcome,
                points_now: whole('points of the order now'),
              },
              { title: 'DifferingOrder', description: 'An order recorded otherwise than predicted' },
            ),
            'some of the orders',
          ),
        },
        { title: 'DifferingOrders', description: 'Orders that differ for the same reasons' },
      ),
      'each differing order once',
    ),
  },
  { title: 'PredictionsReportResult', description: 'How many orders were recorded as predicted' },
)

/** Reports how many recorded orders came out as predicted. */
export const reportJob = jobKind({
  scope: 'program',
  worksOn: 'snapshot',
  result,
  fields: { from: optional('from', timestamp, undefined), to: optional('to', timestamp, undefined) },
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
    const reported = await reportPredictions(await openDatabase(), { from, to }, now, ({ orders, predictions }) =>
      report([
        { of: 'orders', done: orders, total: null },
        { of: 'predictions', done: predictions, total: null },
      ]),
    )
    return predictionsDocumentOf(reported)
  },
})
