import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { readCondition, withEnvironment } from './condition.ts'

const names = withEnvironment({
  levels: new Set(['Bronze', 'Gold']),
  attributes: { product: new Map([['category', 'text']]), order: new Map([['segments', 'texts']]), player: new Map() },
})

/** Words and signs of conditions, and some that are in none. */
const WORDS = [
  ...['order', 'player', 'line', 'lines', 'net', 'level', 'sku', 'attributes', 'category', 'segments', 'lines', 'at'],
  ...[
    '.',
    '(',
    ')',
    '[',
    ']',
    ',',
    '==',
    '=',
    '=>',
    '<>',
    '>=',
    '&&',
    '||',
    '!',
    '&',
    '|',
    '%',
    '?',
    ':',
    ';',
    '+',
    '*',
  ],
  ...['"Gold"', "'", '"', '“', '5', '5.5', '1e9', 'null', 'true', 'and', 'NOT', 'or', 'if', 'else', 'like', 'in', 'is'],
  ...[
    'startsWith',
    'contains',
    'exists',
    'size',
    'constructor',
    'toString',
    '__proto__',
    'hasOwnProperty',
    '€',
    '\n',
    '\u{1f600}',
  ],
]

test('whatever stands in a condition, it is read or gets an issue at a place in it (decision 164)', () => {
  const soup = fc
    .array(fc.constantFrom(...WORDS), { maxLength: 14 })
    .chain((words) => fc.constantFrom('', ' ').map((joint) => words.join(joint)))
  fc.assert(
    fc.property(soup, (source) => {
      const read = readCondition(source, names)
      if ('condition' in read) return
      for (const { error, at = 0 } of read.issues) {
        assert(error !== '' && !error.includes('undefined') && !error.includes('[native code]'), error)
        assert(at >= 0 && at <= source.length)
      }
    }),
    { numRuns: 3_000 },
  )
  for (const [source, error] of [
    ['constructor.net > 5', /^expected a condition: unknown name constructor: known are order, player, line, lines$/],
    ['order.constructor > 5', /^expected a condition: unknown field constructor of order; order has id, net, /],
    ['player.known constructor', /^expected a condition: unexpected constructor: an operator is missing before it/],
  ] as const) {
    const read = readCondition(source, names)
    assert('issues' in read)
    assert.match(read.issues[0]!.error, error)
  }
})

test('of many unknown levels in a condition, the first gets a suggestion (decision 164)', () => {
  const read = readCondition('player.level in ["Glod", "Bronz"] || player.level == "Gol"', names)
  assert('issues' in read)
  assert.deepEqual(
    read.issues.map(({ error }) => error),
    ['unknown level "Glod", did you mean "Gold"?', 'unknown level "Bronz"', 'unknown level "Gol"'],
  )
})
