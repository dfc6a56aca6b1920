import assert from 'node:assert/strict'
import test from 'node:test'
import { EVIL, RAW } from '../../../test/support/hostile-responses.ts'
import {
  coloured,
  noteLine,
  printColoured,
  printFile,
  printJson,
  printJsonLine,
  printLine,
  printText,
  printValues,
  table,
} from './print.ts'

/** What is written to an output while `act` runs. */
function written(act: () => void, output: 'stdout' | 'stderr' = 'stdout', isTTY = false): string {
  const stream = process[output]
  const [write, wasTTY] = [stream.write, stream.isTTY]
  let text = ''
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk)
    return true
  }
  stream.isTTY = isTTY
  try {
    act()
  } finally {
    Object.assign(stream, { write, isTTY: wasTTY })
  }
  return text
}

test('texts that others wrote are printed without a raw control character, or one that reorders what follows, and on one line', () => {
  const escaped =
    'a\\u001b[2J\\u001b]0;x\\u0007\\u009b31m\\u001b[32m\\u202e\\u2066\\u200f\\u061c\\u000d\\u000aFORGED line\\u0000\\u007f'
  assert.equal(
    written(() => printLine`${EVIL}: ${1} point`),
    `${escaped}: 1 point\n`,
  )
  assert.equal(
    written(() => noteLine`of ${EVIL}`, 'stderr'),
    `of ${escaped}\n`,
  )
  assert.equal(
    written(() => printValues({ [EVIL]: EVIL, x: null, y: { toString: 1 } })),
    `${escaped}  ${escaped}\nx\n${'y'.padEnd(escaped.length)}  {"toString":1}\n`,
  )
  assert.doesNotMatch(table([EVIL], [[EVIL]], [0]), RAW)
  assert.equal(
    written(() => printText('a\u001b[32m\u202e\nb\tc\n')),
    'a\\u001b[32m\\u202e\nb\tc\n',
  )
})

test('of a text with colours, only the colours are printed raw', () => {
  assert.equal(
    written(() => printColoured(`\u001b[32mok\u001b[39m \u001b[2J\u202e\u001b[5m\u001b[1mb\u001b[22m\n`)),
    '\u001b[32mok\u001b[39m \\u001b[2J\\u202e\\u001b[5m\u001b[1mb\u001b[22m\n',
  )
  process.env.FORCE_COLOR = '1'
  try {
    for (const style of ['green', 'red', 'cyan', 'bold'] as const) {
      const word = coloured(style, 'word')
      assert.notEqual(word, 'word')
      assert.equal(
        written(() => printColoured(word)),
        word,
      )
    }
  } finally {
    delete process.env.FORCE_COLOR
  }
})

test('JSON is the same value, with every control character escaped', () => {
  const value = { [EVIL]: [EVIL, '\u0085\u200e \u2028'] }
  for (const text of [written(() => printJson(value)), written(() => printJsonLine(value))]) {
    assert.doesNotMatch(text, RAW)
    assert.deepEqual(JSON.parse(text), value)
  }
})

test('a file is printed byte for byte, but not to a terminal', () => {
  assert.equal(
    written(() => printFile(EVIL)),
    EVIL,
  )
  assert.doesNotMatch(
    written(() => printFile(EVIL.replace('\n', '')), 'stdout', true),
    RAW,
  )
})

test('a table of any number of rows, with a cell of any width, is printed: only the row of a very wide cell is wider', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [String(index), 'x'])
  const lines = table(['a', 'b'], [...rows, ['y'.repeat(1_000_000), 'z']]).split('\n')
  assert.equal(lines.length, 200_003)
  assert.equal(lines[1], `0${' '.repeat(199)}  x`)
  assert.equal(lines.at(-2), `${'y'.repeat(1_000_000)}  z`)
})
