/*
 * Syntax colours for the YAML of programs: field names, strings, numbers, comments. The service finds issues, so nothing is parsed here.
 */
type Stream = Readonly<{
  sol: () => boolean
  eatSpace: () => boolean
  match: (pattern: RegExp) => unknown
  next: () => unknown
}>

const PATTERNS = [
  [/^#.*/, 'comment'],
  [/^(?:[\w-]+|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=\s*:(?:\s|$))/, 'propertyName'],
  [/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/, 'string'],
  [/^(?:true|false|null)(?![\w-])/, 'bool'],
  [/^[+-]?\d+(?:\.\d+)?(?![\w-])/, 'number'],
  [/^[\w-]+/, ''],
] as const

export const yamlColours = {
  name: 'yaml',
  languageData: { commentTokens: { line: '#' } },
  /** The colour of the next piece of a line. */
  token: (stream: Stream): string | null => {
    if (stream.eatSpace()) return null
    const match = PATTERNS.find(([pattern]) => stream.match(pattern))
    if (match === undefined) stream.next()
    return match?.[1] || null
  },
}
