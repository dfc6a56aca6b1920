import type { Deps } from '../../operations/deps.ts'
import { showStatistics } from '../../operations/show-statistics.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** Figures of the ledger by day (docs/statistics.md). */
export function adminStatisticsRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      'GET /api/admin/statistics/points',
      ['read'],
      { texts: ['from', 'to', 'basis'] },
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
