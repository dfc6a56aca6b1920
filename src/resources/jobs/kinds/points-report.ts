import { assertReportQuery, reportFields } from '../../points-report/report-points.ts'
import { jobKind } from '../job-kind.ts'

/** Reports the outstanding points of all players, and how they changed. */
export const pointsReportJob = jobKind({
  scope: 'program',
  worksOn: 'snapshot',
  shows: {
    shown: [
      'from',
      'to',
      'known_at',
      'closed_at',
      'as_of',
      'quality',
      'players',
      'each',
      'by',
      'version',
      'line',
      'points',
      'value',
      'kind',
      'program',
      'opening',
      'late',
      'given',
      'spent',
      'expired',
      'closing',
      'month',
      'open',
    ],
  },
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
