import { addedField, Type } from '../../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../../routing/shared-responses.ts'
import { assertReportQuery, reportFields } from '../../points-report/report-points.ts'
import { jobKind } from '../job-kind.ts'

const { listOf, orNull, text, timestampOrNull, whole, exact } = RESPONSE_PARTS
const { day, quality, asOf } = SHARED_RESPONSES

const value = Type.Object(
  {
    each: exact('value of a point'),
    by: Type.Enum(['asked', 'program', 'setting'], { type: 'string', description: 'where it comes from' }),
    version: Type.Optional(whole('program version; only of a program')),
  },
  { title: 'PointValue', description: 'The value of a point' },
)

const amountFields = { points: exact('points'), value: orNull(exact('value'), 'value; null: a point has none') }
const amounts = Type.Object(amountFields, { title: 'PointsAndValue', description: 'Points and their value' })
const month = text('calendar month, such as 2027-01')
const share = orNull(
  Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' }),
  'share of the points given, rounded to four decimals; null: none were given',
)

const result = Type.Object(
  {
    from: day('first date'),
    to: day('last date'),
    known_at: timestampOrNull('later postings do not count; null: all count'),
    closed_at: timestampOrNull('closing time of the previous report; null: none'),
    as_of: asOf,
    quality: addedField(quality),
    players: whole('count of players with entries by the last date'),
    point_value: orNull(value, 'value of a point at the closing; null: none'),
    point_value_before: addedField(orNull(value, 'value of a point at the opening; null: none')),
    lines: listOf(
      Type.Object(
        { line: text('what was counted: opening, late, issued and so on, closing'), ...amountFields },
        { title: 'PointsLine', description: 'A line of a points report' },
      ),
      'from the opening to the closing, which is the sum of the others',
    ),
    pending: amounts,
    owed: amounts,
    sources: listOf(
      Type.Object(
        {
          kind: text('kind of entry; owed: spent beyond the points available'),
          program: orNull(whole('program version'), 'program version; null: none'),
          opening: exact('points at the opening'),
          late: exact('points of earlier dates, posted after the previous report'),
          given: exact('points given, less those taken back'),
          spent: exact('points that redemptions and adjustments took'),
          expired: exact('points expired'),
          closing: exact('points at the closing'),
        },
        { title: 'PointsSource', description: 'The points of a kind of entry and a program version' },
      ),
      'all points by kind of entry and program version, without those that are always 0',
    ),
    ends: listOf(
      Type.Object(
        { month: text('calendar month, such as 2027-01; never: they do not expire'), ...amountFields },
        { title: 'PointsEnd', description: 'Points that can be spent until the end of a month' },
      ),
      'usable and pending points at the closing, by the last month in which they can be spent',
    ),
    months: listOf(
      Type.Object(
        {
          month,
          given: exact('points given'),
          spent: exact('points of them that were spent'),
          expired: exact('points of them that expired'),
          open: exact('points of them that are usable or pending'),
          shares: Type.Object({ spent: share, expired: share, open: share }, { description: 'shares of those given' }),
        },
        { title: 'PointsMonth', description: 'What became of the points given in a month' },
      ),
      'by month',
    ),
  },
  { title: 'PointsReportResult', description: 'Points outstanding at the start and end of a date range' },
)

/** Reports the outstanding points of all players, and how they changed. */
export const pointsReportJob = jobKind({
  scope: 'program',
  worksOn: 'snapshot',
  result,
  fields: reportFields,
  words: {
    title: 'PointsReportJob',
    description: 'Reconciles points outstanding at the start and end of a date range',
    fields: {
      from: 'first date',
      to: 'last date',
      knownAt: 'later postings do not count; default: all count',
      closedAt: 'closing time of the previous report; later postings go to `late`; default: none',
      pointValue: 'value of a point; default: redeem.value in effect, else money.point-value',
    },
  },
  check: (query, now) => assertReportQuery(query, 'data', now),
  run: async (query, { openDatabase, now, report }) => {
    const { reportPointsAsOf } = await import('../../points-report/points-document.ts')
    const reportPlayers = (done: number) => report([{ of: 'players', done, total: null }])
    return reportPointsAsOf(now, await openDatabase(), query, reportPlayers)
  },
})
