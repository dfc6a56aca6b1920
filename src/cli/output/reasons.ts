import { shown } from '../../engine/ingest/shown.ts'
import { escapeControls } from '../../text.ts'
import { type KnownOfFile, readingHints } from './reading-hints.ts'

/** Why records were skipped, counted: issues that differ only in their value or position are one reason. */
export type Reasons = Readonly<{
  /** `value` is that of the field: some sentences repeat it. `canHelp`: whether the record may be read once this issue is gone. */
  add: (
    line: number,
    issue: Readonly<{ field?: string | undefined; error: string }>,
    value?: unknown,
    canHelp?: boolean,
  ) => void
  /** The most frequent ones, each with an example, a line each. */
  text: () => string
  /** The most frequent ones, for programs. */
  list: () => readonly Reason[]
  /** Options of the command that may read what was skipped. */
  hints: (file?: KnownOfFile) => readonly string[]
}>

/** How many issues there are of one kind, and the line of the first in the file. */
export type Reason = Readonly<{ count: number; field: string; error: string; line: number }>

const SHOWN_MAX = 10
/** Any others are counted together. */
const KEPT_MAX = 1_000
/** The value that was sent, as `shown` writes it, or the lines that contradict each other. */
const VALUE = /, (?:got (?<value>".*"|an object|an array|a list|-?[\w.]+)|(?<lines>in lines [\d, ]+ and \d+))/s

export function createReasons(): Reasons {
  const kept = new Map<string, { -readonly [Key in keyof Reason]: Reason[Key] } & { example: string; helped: number }>()
  let others = 0
  const sorted = () => [...kept].sort(([, a], [, b]) => b.count - a.count)
  return {
    add: (line, { field = '', error }, value, canHelp = true) => {
      const helped = canHelp ? 1 : 0
      const place = field.replace(/\[\d+\]/g, '[]')
      const { sentence, example } = withoutValue(error, value)
      const reason = place === '' ? sentence : `${place}: ${sentence}`
      const existing = kept.get(reason)
      const first = { line, example: `line ${line}${example}` }
      if (existing !== undefined) {
        existing.count += 1
        existing.helped += helped
        // Records are sent in a sequence of their own.
        if (line < existing.line) Object.assign(existing, first)
      } else if (kept.size === KEPT_MAX) others += 1
      else kept.set(reason, { count: 1, helped, field: place, error: sentence, ...first })
    },
    text: () => {
      const shown = sorted().slice(0, SHOWN_MAX)
      const more = sorted()
        .slice(SHOWN_MAX)
        .reduce((sum, [, { count }]) => sum + count, others)
      const width = String(shown[0]?.[1].count ?? 0).length
      const lines = shown.map(
        ([reason, { count, example }]) =>
          `  ${String(count).padStart(width)} x ${escapeControls(reason)} (${escapeControls(example)})`,
      )
      return [...lines, ...(more === 0 ? [] : [`  and ${more} of other reasons`])].map((line) => `${line}\n`).join('')
    },
    list: () =>
      sorted()
        .slice(0, SHOWN_MAX)
        .map(([, { count, field, error, line }]) => ({ count, field, error, line })),
    hints: (file = {}) => readingHints([...kept.values()], file),
  }
}

/** A sentence without the value that was sent, so that it is the same for every record, and the value. */
function withoutValue(error: string, value: unknown): { sentence: string; example: string } {
  const { value: sent, lines } = VALUE.exec(error)?.groups ?? {}
  const got = sent ?? lines
  if (got !== undefined) return { sentence: error.replace(VALUE, ''), example: got === 'nothing' ? '' : `: ${got}` }
  const repeated = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const sentence = (repeated === '' ? error : error.replaceAll(repeated, '...')).replace(/".*"/s, '"..."')
  return { sentence, example: sentence.includes('...') && repeated !== '' ? `: ${shown(repeated)}` : '' }
}
