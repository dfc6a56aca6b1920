/*
 * Compares the output of a command with what a document shows. `...` in a document matches anything.
 */
import assert from 'node:assert/strict'

/** Parses the JSON values that follow each other in a text. */
export function readJsonValues(text: string): unknown[] {
  const values: unknown[] = []
  let depth = 0
  let inText = false
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (inText) {
      if (character === '\\') at += 1
      else if (character === '"') inText = false
    } else if (character === '"') inText = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth > 0) continue
      values.push(JSON.parse(text.slice(from, at + 1)))
      from = at + 1
    }
  }
  if (text.slice(from).trim() !== '') values.push(JSON.parse(text.slice(from)))
  return values
}

/** Fails unless JSON values are those that a document shows. */
export function assertJsonShown(printed: string, shown: string): void {
  const values = readJsonValues(printed)
  const expected = readJsonValues(shown)
  assert.deepEqual(
    values.map((value, index) => withPlaceholders(value, expected[index])),
    expected,
  )
}

/** Fails unless a text is the one that a document shows. Trailing blanks do not matter. */
export function assertTextShown(printed: string, shown: string): void {
  const pattern = linesOf(shown)
    .map((line) => (line.trim() === '...' ? '(?:.*\\n)*?' : `${patternOf(line)}\\n`))
    .join('')
  const text = `${linesOf(printed).join('\n')}\n`
  if (!new RegExp(`^${pattern}$`).test(text)) assert.equal(text.trimEnd(), linesOf(shown).join('\n'))
}

/** Whether a JSON value in a document is the response to a refused request. */
export function isRefusal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('error' in value)) return false
  return Object.keys(value).every((name) => name === 'error' || name === 'path')
}

/** The value with `...` in the places where the expected value has it. */
function withPlaceholders(value: unknown, expected: unknown): unknown {
  if (expected === '...') return value === undefined ? value : expected
  if (typeof expected === 'string' && expected.includes('...') && typeof value === 'string')
    return new RegExp(`^${patternOf(expected)}$`, 's').test(value) ? expected : value
  if (Array.isArray(expected) && Array.isArray(value))
    return value.map((one, index) => withPlaceholders(one, expected[index]))
  if (typeof expected !== 'object' || expected === null || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      withPlaceholders(one, (expected as Record<string, unknown>)[name]),
    ]),
  )
}

function patternOf(shown: string): string {
  return shown
    .split('...')
    .map((part) => RegExp.escape(part))
    .join('.*')
}

function linesOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
}
