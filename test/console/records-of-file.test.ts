/*
 * An upload in the console and `laurel import` read a file alike: the console with the build of csv-parse for browsers, which runs here, too.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { openRecordsFile } from '../../src/cli/input/records-file.ts'
import type { RecordsSource } from '../../src/cli/input/records-text.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { temporaryDirectory } from '../support/service-process.ts'

/** That of the console is for a browser; here it has no types. */
const { sourceOf }: { sourceOf: (name: string, bytes: Uint8Array) => RecordsSource } = await import(
  join(PROJECT, 'console/src/records-of-file.ts')
)

/** What a reader finds in a text: columns and records, or why it is refused. */
async function foundBy({ isTable, read }: RecordsSource) {
  let columns: readonly string[] | undefined
  try {
    const records = await Array.fromAsync(
      read(
        (names) => {
          columns = names
        },
        ['id'],
      ),
    )
    return { isTable, columns, records }
  } catch (error) {
    return (error as Error).message
  }
}

/** Reads a text as the console and as the command do, asserts that both find the same, and returns it. */
function twoReaders(t: TestContext) {
  const directory = temporaryDirectory(t)
  return async (text: string | Buffer, name = 'file.csv') => {
    const path = join(directory, name)
    writeFileSync(path, text)
    const [console, command] = [await foundBy(sourceOf(name, Buffer.from(text))), await foundBy(openRecordsFile(path))]
    assert.deepEqual(typeof command === 'string' ? command.replace(`${path}: `, '') : command, console, String(text))
    return console
  }
}

const MISQUOTED = 'expected a separator after a cell in quotes: a quote inside such a cell is written twice'
const CELLS = 'expected as many cells as in the first line'
const LIST = 'expected a JSON array of records, or an object with an array under data'

/** Lines of records with their cells, or with their faults. */
const RECORDS: readonly (readonly [text: string, records: readonly (readonly [line: number, found: unknown])[]])[] = [
  ['id,b\na,1\n', [[2, ['a', '1']]]],
  [
    '\ufeffid,b\r\na,1\r\n\r\n,\r\n , \r\nb,2',
    [
      [2, ['a', '1']],
      [6, ['b', '2']],
    ],
  ],
  [
    'id,b\r"x\ry",1\rb,2\r',
    [
      [2, ['x\ry', '1']],
      [4, ['b', '2']],
    ],
  ],
  [
    'id,b\na,1\r\nb,2\r\n',
    [
      [2, ['a', '1']],
      [3, ['b', '2']],
    ],
  ],
  ['"i"\r\n', []],
  ['', []],
  ['\n\n', []],
  [
    '"id","b\r\n""x"""\r\n"a, ""b""","two\r\nlines"\r\nc,2',
    [
      [3, ['a, "b"', 'two\r\nlines']],
      [5, ['c', '2']],
    ],
  ],
  [
    'id,b\na\nb,1,\nc,1,2\n"6" cup",1\n12" x,5" y\n',
    [
      [2, CELLS],
      [3, ['b', '1']],
      [4, CELLS],
      [5, MISQUOTED],
      [6, ['12" x', '5" y']],
    ],
  ],
  ['id,,b,\n1,2,3,4\n,,,\n', [[2, ['1', '3']]]],
  [
    "id,b\n'7,'7\n'-1,'+1\n't Hooft,'=1\n",
    [
      [2, ["'7", '7']],
      [3, ['-1', '+1']],
      [4, ["'t Hooft", '=1']],
    ],
  ],
]

const REFUSED: readonly (readonly [text: string, reason: string])[] = [
  ['id,b, id\na,1,2\n', 'the first line has the column "id" twice'],
  [
    'id,b\n"x\r\ny",1\nb,"2',
    'unclosed quote on line 4: close it, or, if it belongs to the cell, write the cell in quotes and that quote twice',
  ],
  ['id,b\n"8" cup\nred",2', 'line 2 has " " after a cell in quotes: a quote inside such a cell is written twice'],
  [
    'id,b\n"old,2\nc,"new",3',
    'line 3 has "n" after a cell in quotes that begins on line 2: a quote inside such a cell is written twice',
  ],
  ['"id";"b",c\na,1\n', 'line 1 has ";" after a cell in quotes; if that separates its cells, write --delimiter ";"'],
  [
    `id,b\n${'x'.repeat(2 ** 20 + 1)},1\n`,
    'cannot be read (Max Record Size: record exceed the maximum number of tolerated bytes of 1048576 at line 2)',
  ],
]

test('a table has the same records, faults and lines in the console and in the command, and is refused for the same reasons', async (t) => {
  const read = twoReaders(t)
  for (const [text, expected] of RECORDS) {
    const found = await read(text)
    assert(typeof found === 'object', `${found}`)
    const records = found.records.map(({ line, record, issue }) => [line, issue ?? Object.values(record as object)])
    assert.deepEqual(records, expected, text)
  }
  for (const [text, reason] of REFUSED) assert.equal(await read(text), reason)
  const rows = Array.from({ length: 20_000 }, (_, index) => `thé ${index},"${'é'.repeat(index % 9)}\r\n"\r\n`)
  const long = await read(`id,b\r\n${rows.join('')}`)
  assert(typeof long === 'object' && long.records.at(-1)!.line === 2 * 20_000)
  const pieces = fc.constantFrom(
    'a',
    'b',
    '"',
    '"',
    '""',
    '","',
    ',',
    ',',
    ';',
    '\t',
    '\r\n',
    '\n',
    '\n',
    '\r',
    ' ',
    "'",
    '1',
    'é',
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('id,b\n', 'id;b\r\n', ''), fc.array(pieces, { maxLength: 30 }), (head, some) =>
      read(head + some.join('')).then(() => undefined),
    ),
    { numRuns: 500, seed: 3 },
  )
})

test('what separates a table is found in its first line: sep=, the comma outside quotes, or else a semicolon, tab or bar', async (t) => {
  const read = twoReaders(t)
  const columnsOf = async (text: string | Buffer, name?: string) => {
    const found = await read(text, name)
    return typeof found === 'string' ? found : found.columns
  }
  for (const sign of [',', ';', '\t', '|']) {
    assert.deepEqual(await read(`"id"${sign}"b, c"\r\n'7${sign}"1,5"\r\n`), {
      isTable: true,
      columns: ['id', 'b, c'],
      records: [{ line: 2, record: { id: "'7", 'b, c': '1,5' } }],
    })
    assert.deepEqual(await columnsOf(`${sign}${sign}\n"a\n;|b"${sign}c\n`), ['a\n;|b', 'c'])
  }
  for (const [text, columns] of [
    ['a;b,c\n', ['a;b', 'c']],
    ['a|b;c\n', ['a|b', 'c']],
    ['5" a;6" b\n', ['5" a', '6" b']],
    ['a\nb;c\n', ['a']],
    ['"a;b"\n1;2\n', ['a;b']],
    ['sep=|\r\na|b,c;d\n1|2\n', ['a', 'b,c;d']],
    ['"sep=;"\na,b;c\n', ['a,b', 'c']],
  ] as const)
    assert.deepEqual(await columnsOf(text), columns, text)
  assert.deepEqual(await columnsOf('a,b\tc\n', 'file.tsv'), ['a,b', 'c'])
  assert.deepEqual(await columnsOf('a;b\n', 'file.tsv'), ['a', 'b'])
  assert.deepEqual(await columnsOf('a,b\n', 'file.tsv'), ['a,b'])
  assert.deepEqual(await columnsOf(Buffer.from('\ufeffé\tb\n', 'utf16le')), ['é', 'b'])
  const named = await read('sep=;\r\nid;b\r\na;1\r\nb;1;2\r\n')
  assert(typeof named === 'object')
  assert.deepEqual(
    named.records.map(({ line, issue }) => [line, issue]),
    [
      [3, undefined],
      [4, CELLS],
    ],
  )
})

test('JSON and NDJSON have the same records in the console and in the command: a list, one under data, and lines of which one is bad', async (t) => {
  const read = twoReaders(t)
  const records = [
    { line: 1, record: { id: 'a' } },
    { line: 2, record: 7 },
  ]
  for (const text of ['[{"id":"a"},7]', '\ufeff{\n"data": [{"id":"a"},\n7]}\n'])
    assert.deepEqual(await read(text, 'file.json'), { isTable: false, columns: undefined, records })
  for (const text of ['', '{"id":"a"}\n{"id":"b"}', '[', '7', 'null']) assert.equal(await read(text, 'file.json'), LIST)
  for (const name of ['file.ndjson', 'file.jsonl'])
    assert.deepEqual(await read('\ufeff{"id":"a"}\r\n\r\n{"id":\n7\u2028', name), {
      isTable: false,
      columns: undefined,
      records: [
        { line: 1, record: { id: 'a' } },
        { line: 3, record: '{"id":', issue: 'invalid JSON' },
        { line: 4, record: '7\u2028', issue: 'invalid JSON' },
      ],
    })
  const long = `"${'x'.repeat(2 ** 20)}"`
  assert.equal(await read(`${long}\n1\n`, 'file.ndjson'), 'has a line that is too long for one record')
})

test('a file whose name does not tell its format is read in the console as its first character says', async () => {
  const isTableOf = ['[{"id":1}]', ' {"id":1}\n', 'id\n1\n'].map((text) => sourceOf('file.txt', Buffer.from(text)))
  for (const source of isTableOf) {
    const found = await foundBy(source)
    assert(typeof found === 'object' && found.records.length === 1, `${found}`)
  }
})
