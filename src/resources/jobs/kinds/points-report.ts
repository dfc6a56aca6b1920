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
    description: 'Leads from the points outstanding before a span of days to those outstanding at its end',
    fields: {
      from: 'the first day',
      to: 'the last day',
      knownAt: 'what was recorded later does not count; absent: everything counts',
      closedAt:
        'when the days before were reported: what was recorded for them later is in the line `late`; absent: nothing is late',
      pointValue:
        'what a point is worth, like 0.01; absent: redeem.value of the version in effect, else the setting money.point-value',
    },
  },
  check: (query, now) => assertReportQuery(query, 'data', now),
  run: async (query, { openDatabase, now, report }) => {
    const { reportPointsAsOf } = await import('../../points-report/points-document.ts')
    const reportPlayers = (done: number) => report([{ of: 'players', done, total: null }])
    return reportPointsAsOf(now, await openDatabase(), query, reportPlayers)
  },
})
