/*
 * Mutants: small faults that a test should notice, as StrykerJS makes them. Only their text is ours: where they stand, and what a file with one of them says.
 */
import { createHash } from 'node:crypto'
import { Instrumenter } from '@stryker-mutator/instrumenter'

export interface Mutant {
  /** From the project's root, with slashes. */
  readonly file: string
  /** Of its first character, both from 1. */
  readonly line: number
  readonly column: number
  /** The kind of fault, in StrykerJS's words. */
  readonly mutator: string
  /** Offsets of the original in the file's text. */
  readonly start: number
  readonly end: number
  readonly original: string
  readonly replacement: string
}

type Logger = ConstructorParameters<typeof Instrumenter>[0]

const no = () => false
const nothing = () => undefined
const silent: Logger = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}

/** Every mutant of a file's `text`, in the order of their places. */
export async function mutantsOf(file: string, text: string): Promise<Mutant[]> {
  const lineStarts = [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)]
  const offsetOf = ({ line, column }: { line: number; column: number }) => lineStarts[line]! + column
  const { mutants } = await new Instrumenter(silent).instrument([{ name: file, content: text, mutate: true }], {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
    noHeader: true,
  })
  return mutants
    .map(({ location, mutatorName: mutator, replacement }) => {
      const [start, end] = [offsetOf(location.start), offsetOf(location.end)]
      const { line, column } = location.start
      return {
        file,
        line: line + 1,
        column: column + 1,
        mutator,
        start,
        end,
        original: text.slice(start, end),
        replacement,
      }
    })
    .sort((a, b) => a.start - b.start || a.end - b.end)
}

/**
 * `count` of the mutants, in their order; all, if there are fewer. The same seed draws the same ones, and what happens in one file
 * changes nothing for the mutants of another, but for the last few places.
 */
export function drawMutants(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const byChance = mutants.map((mutant) => ({ mutant, chance: chanceOf(mutant, seed) }))
  byChance.sort((a, b) => (a.chance < b.chance ? -1 : 1))
  const drawn = new Set(byChance.slice(0, count).map(({ mutant }) => mutant))
  return mutants.filter((mutant) => drawn.has(mutant))
}

function chanceOf({ file, line, column, original, replacement }: Mutant, seed: number): string {
  return createHash('sha256')
    .update(JSON.stringify([seed, file, line, column, original, replacement]))
    .digest('hex')
}

/** The file's text with the fault in it. */
export function withMutant(text: string, { mutator, start, end, replacement }: Mutant): string {
  // An operator that binds less tightly than the one it replaces would take its neighbours along. At the beginning of a line
  // parentheses would call the line before, which ends without a semicolon.
  const isOperator = /^(Arithmetic|Equality|Logical)Operator$/.test(mutator)
  const beginsLine = /(^|\n)[ \t]*$/.test(text.slice(0, start))
  const code = isOperator && !beginsLine ? `(${replacement})` : replacement
  return text.slice(0, start) + code + text.slice(end)
}
