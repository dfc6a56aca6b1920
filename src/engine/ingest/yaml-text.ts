import { isCollection, isMap, isPair, isScalar, Lexer, LineCounter, type Node, Parser, parseDocument } from 'yaml'

/** An issue in a file written by a person. `line` and `column` count from 1; absent if the issue has no position in the text. */
export type FileIssue = Readonly<{ path: string; line?: number; column?: number; error: string }>

/** The value of a text. `withLine` adds to an issue the line of its path, like `earn[0].name`. */
export type YamlText = Readonly<{ value: unknown; withLine: (issue: FileIssue) => FileIssue }>

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
  if (document.errors.length > 0) {
    return {
      issues: document.errors.slice(0, ISSUES_MAX).map(({ pos, message }) => ({
        path: '',
        ...placeOf(lines, pos[0]),
        error: message.split('\n')[0]!,
      })),
    }
  }
  const withLine = (issue: FileIssue) => {
    const offset = nodeAt(document.contents, issue.path)?.range?.[0]
    return offset === undefined ? issue : { ...issue, ...placeOf(lines, offset) }
  }
  try {
    // Aliases can expand a small file into an enormous value, and people need only a few.
    return { value: document.toJS({ maxAliasCount: 100 }), withLine }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return { issues: [{ path: '', error: error.message }] }
  }
}

function placeOf(lines: LineCounter, offset: number): Readonly<{ line: number; column: number }> {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
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

/** The deepest existing node along a path; undefined if not even its first step exists. */
function nodeAt(root: Node | null, path: string): Node | undefined {
  let deepest: Node | undefined
  let here: unknown = root
  let rest = path
  while (rest !== '' && isCollection(here)) {
    const step = isMap(here) ? keyIn(here.items, rest) : /^\[(\d+)\]/.exec(rest)
    if (step === null) break
    const [matched, name = ''] = step
    here = here.get(isMap(here) ? name : Number(name), true)
    if (here === undefined || here === null) break
    deepest = here as Node
    rest = rest.slice(matched.length).replace(/^\./, '')
  }
  return deepest
}

/** The longest key that a path starts with, as keys may themselves contain dots and brackets. */
function keyIn(items: readonly unknown[], path: string): [matched: string, name: string] | null {
  const names = items
    .flatMap((item) => (isPair(item) && isScalar(item.key) ? [String(item.key.value)] : []))
    .filter((name) => path.startsWith(name) && /^(?:$|[.[])/.test(path.slice(name.length)))
    .sort((a, b) => b.length - a.length)
  return names[0] === undefined ? null : [names[0], names[0]]
}
