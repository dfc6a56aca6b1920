import type { Deps } from '../../operations/deps.ts'
import { showStatistics } from '../../operations/show-statistics.ts'
import type { Description, Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

const DESCRIBED = {
  operationId: 'showPointsByDay',
  tag: 'accounts',
  summary: 'Show what was issued, taken back and spent, day by day',
  description: 'Exact, by the day of the order or of the recording, whichever `basis` says.',
  example: {
    answer: {
      at: '2026-06-01T12:00:00.000Z',
      basis: 'ordered',
      from: '2026-05-03',
      to: '2026-06-01',
      quality: 'exact',
      lines: [{ day: '2026-06-01', measure: 'issued', program: null, key: 'adjustment', n: 1, points: '250' }],
    },
  },
} as const satisfies Description

/** Figures of the ledger by day (docs/statistics.md). */
export function adminStatisticsRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      'GET /api/admin/statistics/points',
      ['read'],
      { texts: ['from', 'to', 'basis'], described: DESCRIBED },
      async ({ texts, deadlineAt }) => {
        const { lines, ...about } = await showStatistics(deps, ['issued', 'taken-back', 'spent'], texts, deadlineAt)
        return {
          ...about,
          quality: 'exact' as const,
          lines: lines.map(({ program, n, ...line }) => ({
            ...line,
            program: program === 0 ? null : program,
            n: Number(n),
          })),
        }
      },
    ),
  ]
}
