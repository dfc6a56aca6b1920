import { readFileSync, writeFileSync } from 'node:fs'
import { withBlock } from '../scripts/documents/marked-block.ts'
import type { Figure } from './figures.ts'
import { linesOf, rounded } from './table.ts'
import { TARGETS, type Target } from './targets.ts'

const RESULTS = new URL('RESULTS.md', import.meta.url)
const README = new URL('../README.md', import.meta.url)

/** What the README shows of a run of everything. `usual` is the target whose floor is the baseline: the usual way of writing the same. */
const SPEED: readonly Readonly<{ shown: string; target: Target; usual?: Target }>[] = [
  { shown: 'predictions per second', target: TARGETS.predictions, usual: TARGETS.predictionsBesideQuery },
  { shown: 'p99 latency of a prediction', target: TARGETS.predictionP99 },
  { shown: 'new players per second, in bulk', target: TARGETS.playersNew, usual: TARGETS.playersBesideExpress },
  { shown: 'orders per second, 100 per request', target: TARGETS.orders },
  { shown: 'orders per second, 1 per request', target: TARGETS.singleOrders, usual: TARGETS.singleOrders },
]

/** What was measured, on which day (`2026-11-21`) and at which commit. */
type Run = Readonly<{ date: string; commit: string; figures: readonly Figure[] }>

/** Puts the result of a run into bench/RESULTS.md, in place of the last one of its kind. A run of everything also updates the table in the README. */
export function writeResults(section: 'everything' | 'growth', result: string, run: Run): void {
  writeFileSync(RESULTS, withResult(readFileSync(RESULTS, 'utf8'), section, result))
  if (section === 'everything') writeFileSync(README, withResult(readFileSync(README, 'utf8'), 'speed', speedOf(run)))
}

/**
 * The table of the README: each figure on both databases, beside the usual way of writing the same on PostgreSQL; and when it was measured. What the
 * run did not measure is left out.
 */
export function speedOf({ date, commit, figures }: Run): string {
  const cell = (target: Target | undefined, database: 'postgres' | 'embedded', side: 'ours' | 'floor') => {
    const value = figures.find((one) => one.figure === target?.figure && one.database === database)?.[side] ?? null
    if (value === null) return ''
    return target?.unit === 'ms' ? `${Math.round(value * 10) / 10} ms` : rounded(value)
  }
  const table = linesOf([
    ['on two cores, shared with the load generator', 'Laurel on PostgreSQL', 'Laurel, embedded database', 'baseline'],
    ...SPEED.filter(({ target }) => figures.some(({ figure }) => figure === target.figure)).map(
      ({ shown, target, usual }) => [
        shown,
        cell(target, 'postgres', 'ours'),
        cell(target, 'embedded', 'ours'),
        cell(usual, 'postgres', 'floor'),
      ],
    ),
  ])
  return `${table}\n\nMeasured on ${date} at commit ${commit}.`
}

/** The document with a new result between the two markers of a section. Throws if the markers are missing. */
export function withResult(document: string, section: string, result: string): string {
  return withBlock(document, { name: section, command: 'npm run bench' }, result)
}
