import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { PROJECT } from '../support/docs-blocks.ts'
import { CHANGED_SENTENCES, inTodaysWords } from '../support/former-responses.ts'

/** Shorter words are found in other sentences, too. */
const DISTINCTIVE_LENGTH = 16

test('a sentence that was worded anew is nowhere in the code in its former words', () => {
  const former = CHANGED_SENTENCES.map(([sentence, now]) => ({ words: longestOf(sentence.split('{}')), now })).filter(
    ({ words, now }) => words.length >= DISTINCTIVE_LENGTH && !now.includes(words),
  )
  assert(former.length > 150, 'the sentences were not found')
  const found = globSync('src/**/*.ts', { cwd: PROJECT })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const code = readFileSync(join(PROJECT, path), 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, '')
      return former.filter(({ words }) => code.includes(words)).map(({ words }) => `${path}: ${words}`)
    })
  assert.deepEqual(found, [])
})

test('answers of former versions are read in the words of today, values included', () => {
  const cases = [
    ['{"why":"its condition does not hold: level == \\"Gold\\""}', '{"why":"condition not met: level == \\"Gold\\""}'],
    [
      '{"error":"expected a text that is not blank, got \\"\\""}',
      '{"error":"expected a non-blank string, got \\"\\""}',
    ],
    ['{"about":"a textile"}', '{"about":"a textile"}'],
  ] as const
  for (const [former, now] of cases) assert.equal(inTodaysWords(former), now)
})

function longestOf(pieces: readonly string[]): string {
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest)).trim()
}
