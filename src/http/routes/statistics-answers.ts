/*
 * What the routes of statistics answer (docs/statistics.md).
 */
import { Type } from '../../points/json-schema.ts'
import { ANSWER_PARTS } from './answer-parts.ts'

const { exact, listOf, moment, orNull, text, whole } = ANSWER_PARTS

const day = (description: string) => Type.String({ format: 'date', description })
const quality = Type.Enum(['exact', 'counted', 'sampled'], {
  type: 'string',
  description: 'exact: the ledger says so. counted: a kill loses a second or two. sampled: not all were looked at',
})
const version = orNull(whole('the number of the version'), 'the version of the program; null: none decides')

const asked = {
  as_of: moment('the moment of the answer: all that was recorded before is in it'),
  basis: Type.Enum(['ordered', 'booked'], {
    type: 'string',
    description: 'whether days are those of the order or of the recording',
  }),
  from: day('the first day'),
  to: day('the last day'),
}
const askedBy = {
  ...asked,
  per: Type.Enum(['day', 'month', 'span'], { type: 'string', description: 'what a line adds up' }),
}
const lineDay = day('the day; of a line for a month or the whole span its first day')

const statistics = Type.Object(
  {
    ...askedBy,
    lines: listOf(
      Type.Object(
        {
          day: lineDay,
          measure: text('what is counted'),
          program: version,
          key: text('which of them, or empty'),
          n: whole('how many'),
          points: exact('their points'),
          quality,
        },
        { title: 'StatisticsLine', description: 'A figure of a day, a month or the span' },
      ),
      'by day; none where nothing happened',
    ),
  },
  { title: 'Statistics', description: 'Figures by day, month or span' },
)

export const STATISTICS_ANSWERS = {
  'GET /api/admin/statistics/summary': Type.Object(
    {
      ...asked,
      before: orNull(
        Type.Object({ from: day('the first day'), to: day('the last day') }),
        'with compare=true the span before, as long, on the same weekdays; else null',
      ),
      figures: listOf(
        Type.Object(
          {
            figure: text('what is counted'),
            quality,
            n: orNull(whole('how many'), 'how many; null where only points are counted'),
            points: orNull(exact('their points'), 'their points; null where only things are counted'),
            n_before: orNull(whole('how many'), 'as n, of the span before; null also without compare=true'),
            points_before: orNull(exact('points'), 'as points, of the span before; null also without compare=true'),
          },
          { title: 'SummaryFigure', description: 'A figure of a span, and of the one before' },
        ),
        'always the same ones, in the same order',
      ),
    },
    { title: 'StatisticsSummary', description: 'What happened in a span, and in the one before' },
  ),
  'GET /api/admin/statistics/points': statistics,
  'GET /api/admin/statistics/rules': statistics,
  'GET /api/admin/statistics/orders': statistics,
  'GET /api/admin/statistics/levels': Type.Object(
    {
      ...askedBy,
      moves: listOf(
        Type.Object(
          {
            day: lineDay,
            program: version,
            before: text('the level before'),
            after: text('the level after'),
            n: whole('how many orders led from one to the other when they were first recorded'),
            quality,
          },
          { title: 'LevelMoves', description: 'Orders that led from one level to another' },
        ),
        'by day; none where nobody moved',
      ),
    },
    { title: 'LevelStatistics', description: 'Who moved between levels' },
  ),
} as const
