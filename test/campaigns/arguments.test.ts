import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { databaseOption, readPositive, readPositives, wholeFrom } from './arguments.ts'

test('a campaign refuses an invalid argument with a sentence and exit code 2', () => {
  const overload = fileURLToPath(new URL('overload.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [overload, '--seconds', '0'], { encoding: 'utf8' })
  assert.deepEqual([status, stderr.includes('Expected a number greater than 0.')], [2, true], stderr)
})

test('the arguments of campaigns are validated strictly', () => {
  const readDatabase = (text: string) => databaseOption().parseArg!(text, undefined)
  for (const [read, good, bad] of [
    [
      readDatabase,
      [
        ['both', ['embedded', 'postgres']],
        ['postgres', ['postgres']],
      ],
      ['', 'mysql', 'Both'],
    ],
    [
      readPositive,
      [
        ['4', 4],
        ['0.5', 0.5],
      ],
      ['', '0', '-1', 'four', '1e3', 'Infinity'],
    ],
    [readPositives, [['2,5,10', [2, 5, 10]]], ['', '2,', '2,ten', '2,0']],
    [
      wholeFrom(1),
      [
        ['1', 1],
        ['4000', 4000],
      ],
      ['', '0', '1.5', '-1', 'x', '99999999999999999999'],
    ],
  ] as const) {
    for (const [text, value] of good) assert.deepEqual(read(text), value)
    for (const text of bad) assert.throws(() => read(text), /Expected /, `accepted: ${text}`)
  }
})
