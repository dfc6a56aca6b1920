/*
 * Cells of CSV that a spreadsheet would compute, whatever it takes for a separator.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvOf } from '../../src/csv.ts'

const NUMBER = /^-?\d+(\.\d+)?$/

/** The cells that a spreadsheet finds. One that takes another separator than ours does not take our quotes for quotes where they are not at its own beginnings. */
function cellsFound(text: string, separator: string, knowsQuotes: boolean): string[] {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place]!
    if (quoted && character === '"' && text[place + 1] === '"') {
      cell += '"'
      place += 1
    } else if (quoted && character === '"') quoted = false
    else if (knowsQuotes && character === '"' && cell === '') quoted = true
    else if (!quoted && [separator, '\n', '\r'].includes(character)) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}

function formulasIn(text: string): string[] {
  const found = [
    ...cellsFound(text, ',', true),
    ...[';', '\t', '|'].flatMap((separator) => [
      ...cellsFound(text, separator, true),
      ...cellsFound(text, separator, false),
    ]),
  ]
  return found.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell) && !NUMBER.test(cell))
}

const piece = fc.constantFrom(
  ';',
  ',',
  '\t',
  '|',
  '\n',
  '\r',
  '"',
  "'",
  '=',
  '+',
  '-',
  '@',
  '＝',
  '－',
  '1',
  'a',
  ' ',
  '\u00a0',
)
const texts = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))

test('no text becomes a formula in CSV, in no spreadsheet: not at the beginning of a cell, after another separator, or after a line break', () => {
  for (const text of [
    '=1+1',
    ';=1+1',
    ',=1+1',
    'a;=1+1;',
    'a\n=1+1',
    'a\r\n"=1+1"',
    '\t=1',
    'a\t=1',
    'a|=1',
    '; =1',
    ';"=1+1;"',
  ])
    assert(formulasIn(`"u-1","${text.replaceAll('"', '""')}"`).length + Number(text.startsWith(',')) > 0, text)
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const rows = [
        ['name', 'reason', 'points', 'value', 'detail'],
        [one, other, -5, '-5.25', { a: other, b: [other, -1] }],
      ]
      const written = csvOf(rows)
      assert.deepEqual(formulasIn(written), [], JSON.stringify(written))
      const [[, , , , detail] = []] = parse(written, { from: 2, record_delimiter: '\r\n' }) as string[][]
      assert.deepEqual(JSON.parse(detail!), { a: other, b: [other, -1] }, 'an object is the same value')
    }),
    { numRuns: 3_000, seed: 5 },
  )
})

test('our own negative numbers stay numbers in CSV, and ordinary texts as they are', () => {
  const kept = [-5, '-5', '-0.25', 'u-1', 'a-b', 'a, -b', 'Meier, +49', 'a=b', 'x@example.com', '1; 2', "it's"]
  for (const value of kept) {
    const cell = /[",\r\n]/.test(String(value)) ? `"${value}"` : String(value)
    const rows = [
      ['id', 'a'],
      ['x', value],
    ]
    assert.equal(csvOf(rows), `id,a\r\nx,${cell}\r\n`)
  }
})
