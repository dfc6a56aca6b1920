import { readFileSync, writeFileSync } from 'node:fs'
import type { Figure } from './figures.ts'
import { tableOf } from './table.ts'
import { TARGETS } from './targets.ts'

const RESULTS = new URL('RESULTS.md', import.meta.url)
const README = new URL('../README.md', import.meta.url)

/** What the README shows of a run of everything: where a shop would feel it. */
const SHOWN = [
  [TARGETS.predictions, 'postgres'],
  [TARGETS.predictions, 'embedded'],
  [TARGETS.playersNew, 'postgres'],
  [TARGETS.playersBesideExpress, 'postgres'],
  [TARGETS.orders, 'postgres'],
] as const

/** Puts the result of a run into bench/RESULTS.md, in the place of the last one of its kind; of a run of everything five lines into the README. */
export function writeResults(section: 'everything' | 'growth', result: string, figures: readonly Figure[]): void {
  writeFileSync(RESULTS, withResult(readFileSync(RESULTS, 'utf8'), section, result))
  if (section === 'everything')
    writeFileSync(README, withResult(readFileSync(README, 'utf8'), 'five lines', shownOf(figures)))
}

/** The table of the README. */
export function shownOf(figures: readonly Figure[]): string {
  const shown = SHOWN.flatMap(([target, database]) =>
    figures.filter((figure) => figure.figure === target.figure && figure.database === database),
  )
  return tableOf(shown, ['figure', 'database', 'floor', 'ours', 'ratio'])
}

/** The document with another result between the two marks of a section. Errors: where the marks are gone. */
export function withResult(document: string, section: string, result: string): string {
  const [begin, end] = [`<!-- ${section}: written by npm run bench -->`, `<!-- end of ${section} -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`a document has lost its marks "${begin}" and "${end}"`)
  return `${document.slice(0, from + begin.length)}\n\n${result}\n\n${document.slice(to)}`
}
