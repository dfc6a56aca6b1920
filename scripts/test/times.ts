import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** What the runner reports of a test or a `describe` that has ended; nested ones are reported first. */
type Ended = Readonly<{
  file?: string | undefined
  nesting: number
  details: Readonly<{ duration_ms: number; type?: string | undefined }>
}>

/** Adds up how long the tests of each file took. */
export function collectTimes(files: readonly string[]) {
  const msOf = new Map<string, number>()
  /** By nesting level: tests that have ended inside one that has not. */
  const inside: number[] = []
  return {
    add({ file, nesting, details: { duration_ms: ms, type } }: Ended): void {
      const within = inside[nesting + 1] ?? 0
      inside[nesting + 1] = 0
      inside[nesting] = (inside[nesting] ?? 0) + ms
      if (file === undefined || type === 'suite') return
      const path = relative('', file)
      msOf.set(path, (msOf.get(path) ?? 0) + Math.max(0, ms - within))
    },
    filesWithoutTest: () => files.filter((file) => !msOf.has(relative('', file))),
    /** One line for each file. */
    slowest: (count: number) =>
      [...msOf]
        .sort(([, one], [, other]) => other - one)
        .slice(0, count)
        .map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${file}`),
  }
}

const TICKS_PER_SECOND = 100

/** Processor time of this process and of its child processes that have ended. Undefined where the system does not report it. */
export function processorSeconds(): number | undefined {
  try {
    // The second field, a name in parentheses, may contain blanks. After it: user and system time, own and of children, from the 12th on.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return Math.round(ticks / TICKS_PER_SECOND)
  } catch {
    return undefined
  }
}
