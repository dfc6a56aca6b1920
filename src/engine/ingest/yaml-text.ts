import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  parseDocument,
  type Scalar,
} from 'yaml'
import type { Issue } from '../points/issue.ts'
import { aliasIssue, type TextIssue, yamlIssues } from './yaml-issues.ts'

/**
 * An issue in a file written by a person. `line` and `column` count from 1; absent if the issue has no position in the text.
 *
 * - `excerpt`: that line, of a long one a part, and below it a caret under the column
 * - `see`: the paragraph of the documents about it, like docs/program-reference.md#money
 */
export type FileIssue = Pick<Issue, 'path' | 'error' | 'see'> &
  Readonly<{ line?: number; column?: number; excerpt?: string }>

/**
 * The value of a text. `placed` adds to an issue where in the text its path is, like `earn[0].name`. `ignored` are issues of what YAML leaves out of the
 * value: `when: !order.staff` has a tag and no text.
 */
export type YamlText = Readonly<{ value: unknown; placed: (issue: Issue) => FileIssue; ignored: readonly FileIssue[] }>

const SEE_YAML = 'docs/program-reference.md#yaml'

/** Bounds on untrusted texts: the library reads some of them in quadratic time, and others by recursion. */
const TOKENS_MAX = 50_000
const ENTRIES_MAX = 1_000
const DEPTH_MAX = 30
const ISSUES_MAX = 100

/**
 * Reads YAML, or JSON, which is YAML too; or lists the first 100 issues of a text that is neither, with their lines. Untrusted texts must
 * pass `excessIn` first.
 */
export function readYaml(text: string): YamlText | { issues: readonly FileIssue[] } {
  const lines = new LineCounter()
  // Keys are names: 007 is not 7. Not pretty: each error would include a copy of its line.
  const options = { lineCounter: lines, uniqueKeys: true, stringKeys: true, prettyErrors: false }
  const document = parseDocument(text, options)
  const fileIssue = ({ offset, error }: TextIssue): FileIssue => ({
    path: '',
    ...placeOf(text, lines, visiblePlace(text, offset)),
    error,
    see: SEE_YAML,
  })
  if (document.errors.length > 0) return { issues: yamlIssues(document.errors, text, lines, ISSUES_MAX).map(fileIssue) }
  const placed = ({ path, error, at, isName, see }: Issue) => {
    const { key, value } = pairAt(document.contents, path)
    const node = isName ? (key ?? value) : value
    const offset = at === undefined || !isScalar(node) ? node?.range?.[0] : offsetIn(text, node, at)
    const place = offset === undefined ? {} : placeOf(text, lines, offset)
    return { path, ...place, error, ...(see === undefined ? {} : { see }) }
  }
  try {
    // Aliases can expand a small file into an enormous value, and people need only a few.
    const value = document.toJS({ maxAliasCount: 100 })
    return { value, placed, ignored: yamlIssues(document.warnings, text, lines, ISSUES_MAX).map(fileIssue) }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    const alias = aliasIssue(error.message, text)
    return { issues: [alias === undefined ? { path: '', error: error.message } : fileIssue(alias)] }
  }
}

function placeOf(text: string, lines: LineCounter, offset: number): Pick<FileIssue, 'line' | 'column' | 'excerpt'> {
  const { line, col: column } = lines.linePos(offset)
  return { line, column, excerpt: excerptOf(text, offset, column) }
}

/** An offset, moved over blanks to what its line has next, or from the end of the text back to the last line. */
function visiblePlace(text: string, offset: number): number {
  if (text.slice(offset).trim() === '') return Math.min(offset, text.trimEnd().length)
  return offset + /^ */.exec(text.slice(offset))![0].length
}

/** An offset, or the one before it if it is between the two halves of a character outside the basic plane. */
function characterStart(text: string, offset: number): number {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset - 1 : offset
}

const EXCERPT_LENGTH = 150

/** The line of a text that an offset is in, without its indentation, of a long one the part around it, and below it a caret under the column. */
function excerptOf(text: string, offset: number, column: number): string {
  const from = characterStart(text, column > EXCERPT_LENGTH ? offset - EXCERPT_LENGTH / 2 : offset - column + 1)
  const shown = /^.*/.exec(text.slice(from, characterStart(text, from + EXCERPT_LENGTH)))![0]
  const indent = Math.min(shown.search(/\S|$/), offset - from)
  const before = text.slice(from + indent, offset).replace(/[^\t]/g, ' ')
  return `${shown.slice(indent).trimEnd()}\n${before}^`
}

/**
 * Where in a text a place of a scalar's value is. The value can differ from the text by quotes, escapes and line breaks, but the words are the same and in
 * the same order: it is the place of as many equal words.
 */
function offsetIn(text: string, { range, type, value }: Scalar, at: number): number | undefined {
  if (!range || typeof value !== 'string') return undefined
  const [begin, end] = range
  const isQuoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE'
  const first = type === 'PLAIN' ? begin : isQuoted ? begin + 1 : text.indexOf('\n', begin)
  const word = /^(?:\w+|\S)/.exec(value.slice(at))?.[0]
  if (word === undefined) return begin + text.slice(begin, end).trimEnd().length - (isQuoted ? 1 : 0)
  const earlier = value.slice(0, at).split(word).length - 1
  const written = text.slice(begin, end)
  let found = written.indexOf(word, first - begin)
  for (let count = 0; count < earlier && found >= 0; count += 1) found = written.indexOf(word, found + word.length)
  return begin + Math.max(0, found)
}

/**
 * The first place where a text exceeds 50,000 tokens, 1,000 entries in a list or object, or 30 levels. Reads each token once, and stops there.
 */
export function excessIn(text: string): FileIssue | undefined {
  const parser = new Parser()
  let tokens = 0
  let line = 1
  for (const token of new Lexer().lex(text)) {
    tokens += 1
    for (const _ of parser.next(token));
    const bound = boundPassed(tokens, parser)
    if (bound !== undefined) return { path: '', line, error: `expected at most ${bound}` }
    if (token.endsWith('\n')) line += token.split('\n').length - 1
  }
  return undefined
}

function boundPassed(tokens: number, { stack }: Parser): string | undefined {
  const open = stack.at(-1)
  if (tokens > TOKENS_MAX) return `${TOKENS_MAX} YAML tokens`
  if (stack.length > DEPTH_MAX) return `${DEPTH_MAX} levels of arrays and objects`
  if (open !== undefined && 'items' in open && open.items.length > ENTRIES_MAX)
    return `${ENTRIES_MAX} entries in an array or object`
  return undefined
}

/** The deepest existing node along a path, and its key if it has one. */
function pairAt(root: Node | null, path: string): Readonly<{ key?: Node; value?: Node }> {
  let deepest: { key?: Node; value?: Node } = root === null ? {} : { value: root }
  let here: unknown = root
  let rest = path
  while (rest !== '' && isCollection(here)) {
    const step = isMap(here) ? keyIn(here.items, rest) : /^\[(\d+)\]/.exec(rest)
    if (step === null) break
    const [matched, name = ''] = step
    const key = isMap(here) ? here.items.find((item) => isNamed(item, name))?.key : undefined
    here = here.get(isMap(here) ? name : Number(name), true)
    if (here === undefined || here === null) break
    deepest = { ...(key === undefined ? {} : { key: key as Node }), value: here as Node }
    rest = rest.slice(matched.length).replace(/^\./, '')
  }
  return deepest
}

function isNamed({ key }: Pair, name: string): boolean {
  return isScalar(key) && String(key.value) === name
}

/** The longest key that a path starts with, as keys may themselves contain dots and brackets. */
function keyIn(items: readonly unknown[], path: string): [matched: string, name: string] | null {
  const names = items
    .flatMap((item) => (isPair(item) && isScalar(item.key) ? [String(item.key.value)] : []))
    .filter((name) => path.startsWith(name) && /^(?:$|[.[])/.test(path.slice(name.length)))
    .sort((a, b) => b.length - a.length)
  return names[0] === undefined ? null : [names[0], names[0]]
}

/** The order in which issues stand in the text; those without a place come first. */
export function byPlace(a: FileIssue, b: FileIssue): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
