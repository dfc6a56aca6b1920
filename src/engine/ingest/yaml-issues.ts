/*
 * What is wrong with a text that is not YAML, in words of its author. The library says what its grammar expected, and repeats itself on a line.
 */
import type { LineCounter, YAMLError } from 'yaml'

/** An issue at an offset of a text. */
export type TextIssue = Readonly<{ offset: number; error: string }>

/** The first issue of each line, of at most so many lines. A line can have very many. */
export function yamlIssues(
  errors: readonly YAMLError[],
  text: string,
  lines: LineCounter,
  linesMax: number,
): TextIssue[] {
  const byLine = new Map<number, TextIssue>()
  for (const error of errors) {
    const { line, col } = lines.linePos(error.pos[0])
    if (byLine.has(line)) continue
    if (byLine.size === linesMax) break
    const start = error.pos[0] - col + 1
    byLine.set(line, { offset: error.pos[0], error: adviceOn(error, text, start) })
  }
  return [...byLine.values()]
}

/** What is wrong with an alias that leads nowhere; undefined for another error. */
export function aliasIssue(message: string, text: string): TextIssue | undefined {
  const [, name] = /^Unresolved alias .*: (.*)$/.exec(message) ?? []
  if (name === undefined) return undefined
  return { offset: text.indexOf(`*${name}`), error: `a text that begins with * is put in quotes: "*${name}"` }
}

/** `start` is where the line of the error begins. */
function adviceOn({ code, message, pos: [offset, end] }: YAMLError, text: string, start: number): string {
  const line = /.*/.exec(text.slice(start))![0]
  const condition = conditionAdvice(line, offset - start)
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'expected spaces for indentation, got a tab'
    case 'DUPLICATE_KEY':
      return `duplicate key ${/[^\s:]+/.exec(text.slice(offset, end + 100))?.[0]}`
    case 'MULTIPLE_DOCS':
      return 'expected one document: leave out ---'
    case 'TAG_RESOLVE_FAILED':
      return condition ?? 'a text that begins with ! is put in quotes'
    case 'MULTILINE_IMPLICIT_KEY':
      return /^\s*(?:- )*[\w-]+:\S/.test(line)
        ? 'expected a blank behind the colon'
        : 'expected a key, a colon and a blank'
    case 'BLOCK_AS_IMPLICIT_KEY':
      return /: /.test(line.slice(offset - start))
        ? (condition ?? 'a text that contains ": " is put in quotes')
        : 'expected the next line to be indented like this one'
    case 'BAD_SCALAR_START':
      return `a text that begins with ${text[offset]} is put in quotes`
    case 'MISSING_CHAR':
      if (message.startsWith('Missing closing')) return `a quote is not closed: ${/closing (.)/.exec(message)?.[1]}`
      return 'expected the same indentation as the keys above'
    case 'BAD_INDENT':
      if (/^All /.test(message)) return 'expected the same indentation as the entries above'
      return condition ?? `a ${/end with a \}/.test(message) ? '{' : '['} is not closed`
    case 'UNEXPECTED_TOKEN':
      return (
        condition ??
        (/node end/.test(message)
          ? 'expected nothing behind the value: put the whole text in quotes'
          : message.split('\n')[0]!)
      )
    default:
      return message.split('\n')[0]!
  }
}

/** The quotes that a condition needs, if the column is in one. */
function conditionAdvice(line: string, column: number): string | undefined {
  const [all, before = '', value = ''] = /^(.*?\bwhen:\s+)(.*)$/.exec(line) ?? []
  if (all === undefined || column < before.length) return undefined
  if (before.includes('{')) return "put the condition in quotes, when: '...', as it stands inside { }"
  const condition = value.trimEnd()
  return condition.includes("'")
    ? "put the whole condition in quotes, when: '...'; inside, write '' for '"
    : `put the whole condition in quotes: when: '${condition}'`
}
