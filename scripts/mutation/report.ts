/*
 * The report of a run for people: the survivors with the code that could change undetected, then the counts.
 */
import type { Judgement } from './judge.ts'

const open: ReadonlySet<Judgement['verdict']> = new Set(['survived', 'untested'])

/** The mutants that no test detected. */
export function survivorsOf(judgements: readonly Judgement[]): Judgement[] {
  return judgements.filter(({ verdict }) => open.has(verdict))
}

/** One mutant as a paragraph: where, what kind, and both texts, shortened to one line each. */
export function describeMutant({ file, line, column, mutator, verdict, original, replacement }: Judgement): string {
  return [
    `${file}:${line}:${column}  ${mutator}, ${verdict}`,
    `  - ${oneLine(original)}`,
    `  + ${oneLine(replacement)}`,
  ].join('\n')
}

/** The counts for each file and in total. */
export function countsTable(judgements: readonly Judgement[]): string {
  const byFile = Map.groupBy(judgements, ({ file }) => file)
  const rows = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, its]) => countsRow(file, its))
  return [['', 'mutants', 'killed', 'timeout', 'types', 'survived', 'untested'], ...rows, countsRow('all', judgements)]
    .map(([file, ...counts], _, all) => {
      const width = Math.max(...all.map(([name]) => name!.length))
      return [file!.padEnd(width), ...counts.map((count) => count.padStart(8))].join('  ')
    })
    .join('\n')
}

function countsRow(name: string, judgements: readonly Judgement[]): string[] {
  const count = (wanted: Judgement['verdict']) => judgements.filter(({ verdict }) => verdict === wanted).length
  const counts = [count('killed'), count('timeout'), count('types'), count('survived'), count('untested')]
  return [name, ...[judgements.length, ...counts].map(String)]
}

function oneLine(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim()
  return line.length <= 100 ? line : `${line.slice(0, 97)}...`
}
