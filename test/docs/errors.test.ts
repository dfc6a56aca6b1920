/*
 * The sentences of docs/errors.md are those of the code, placeholders included: `...` in the document and `${...}` in the code stand for anything.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'

const ANYTHING = '\u0000'
const TEXT = String.raw`('(?:[^'\\\n]|\\.)*'|\`(?:\$\{(?:[^{}\`]|\`[^\`]*\`)*\}|[^\`\\]|\\.)*\`)`

/** Patterns of the places that contain a sentence for a caller: the thrown error, the verdict on a record, the row of a failure. */
const SENTENCES = [
  String.raw`new (?:InvalidInput|TooLarge)\(\s*[^,;]+?,\s*${TEXT}`,
  String.raw`new (?:NotFound|Unauthorized|Unavailable|ClientGone|TooSlow)\(\s*${TEXT}`,
  String.raw`\b(?:error|sentence): ${TEXT}`,
]
/** A reader states only what it expected, and perhaps what it got. */
const EXPECTED = String.raw`(?:new InvalidValue|\bexpected)\(\s*${TEXT}(,?)`

/** Texts in the document that are not sentences: commands, a header, and a line composed of counts. */
const NOT_SENTENCES = /^(npx|ledger|program|predictions|points) |^Content-Type: |^12 players, /

/** Files whose sentences no HTTP caller reads: faults in the files of programs and of test orders. */
const FILE_READERS =
  /^src\/engine\/ingest\/(cases|.*-text|yaml-issues)|^src\/resources\/(backtests\/backtest-|programs\/(step-text|probe-document))/

const sources = globSync('src/**/*.ts', { cwd: PROJECT })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, code: readFileSync(join(PROJECT, path), 'utf8') }))
const forCallers = sources.filter(
  ({ path }) =>
    /^src\/(engine\/ingest|database|ledger|shared|resources|server)\//.test(path) && !FILE_READERS.test(path),
)

const page = readDocument('docs/errors.md')
const shown = [...page.replace(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)].map(([, text]) =>
  text!.replaceAll('...', ANYTHING),
)

describe('docs/errors.md', () => {
  test('has every sentence that a caller can read, in the words of the code', () => {
    const sentences = forCallers.flatMap(({ code }) => [
      ...SENTENCES.flatMap((pattern) => textsIn(code, pattern)),
      ...[...code.matchAll(new RegExp(EXPECTED, 'g'))].map(
        ([, expected, more]) => `expected ${textOf(expected!)}${more === ',' ? `, got ${ANYTHING}` : ''}`,
      ),
    ])
    assert(sentences.length > 60, 'the sentences were not found')
    assert.deepEqual(
      sentences
        .filter((sentence) => isDistinctive(sentence) && !shown.some((one) => matches(one, sentence)))
        .map(readable),
      [],
    )
  })

  test('has no sentence that is not in the code', () => {
    const literals = sources.flatMap(({ code }) => textsIn(code, TEXT)).filter(isDistinctive)
    const words = new Set(sources.flatMap(({ code }) => textsIn(code, TEXT)))
    const isInCode = (sentence: string) => {
      const expected = /^expected (.*?)(?:, got .*)?$/s.exec(sentence)?.[1]
      return (
        literals.some(
          (literal) => matches(literal, sentence) || (expected !== undefined && matches(literal, expected)),
        ) || expected?.split(' or ').every((word) => words.has(word)) === true
      )
    }
    const sentences = shown.filter((one) => one.includes(' ') && isDistinctive(one) && !NOT_SENTENCES.test(one))
    assert(sentences.length > 100, 'the sentences were not found')
    assert.deepEqual(sentences.filter((one) => !isInCode(one)).map(readable), [])
  })
})

test('two sentences match where the gaps of one can hold the words of the other', () => {
  const cases = [
    ['player u-9 not found', `player ${ANYTHING} not found`, true],
    [`the database ${ANYTHING}`, 'the database is busy', true],
    ['there are 10 tokens already', `there are ${ANYTHING} valid tokens already`, false],
    ['the database is busy', 'the database is bus', false],
  ] as const
  for (const [one, other, expected] of cases) assert.equal(matches(one, other), expected, `${one} | ${other}`)
})

function textsIn(code: string, pattern: string): string[] {
  return [...code.matchAll(new RegExp(pattern, 'g'))].map(([, text]) => textOf(text!))
}

/** The text of a literal, with its placeholders as gaps. */
function textOf(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g, ANYTHING)
    .replaceAll("\\'", "'")
}

/** Whether a sentence has enough text outside of its gaps to be distinguished from others. */
function isDistinctive(sentence: string): boolean {
  return (
    sentence !== `expected ${ANYTHING}, got ${ANYTHING}` && sentence.split(ANYTHING).some((part) => part.length > 4)
  )
}

/** Whether one of two sentences equals the other once its gaps are filled. */
function matches(one: string, other: string): boolean {
  return patternOf(other).test(one) || patternOf(one).test(other)
}

const patterns = new Map<string, RegExp>()

function patternOf(sentence: string): RegExp {
  let pattern = patterns.get(sentence)
  if (pattern === undefined) {
    pattern = new RegExp(`^${sentence.split(ANYTHING).map(RegExp.escape).join('.*')}$`, 's')
    patterns.set(sentence, pattern)
  }
  return pattern
}

function readable(sentence: string): string {
  return sentence.replaceAll(ANYTHING, '...')
}
