import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import test from 'node:test'
import { PROJECT } from '../support/docs-blocks.ts'
import { listPlanted, runPlantedCampaign, withPlanted } from './planted.ts'

const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8')

test('an old fault that comes back is noticed by the test that was written for it', async (t) => {
  const seed = Date.now() % 2 ** 31
  t.diagnostic(`seed ${seed}`)
  await runPlantedCampaign({ count: 2, seed, words: [], say: (line) => t.diagnostic(line) })
})

test('every old fault still has its place in the code, leaves code that can be run, and its test exists', () => {
  const faults = listPlanted()
  assert(faults.length > 0)
  for (const planted of faults) {
    const text = textOf(planted.file)
    const faulty = withPlanted(text, planted)
    assert.notEqual(faulty, text, planted.fault)
    if (planted.file.endsWith('.ts')) assert.doesNotThrow(() => stripTypeScriptTypes(faulty), planted.fault)
    assert(textOf(planted.test).includes(planted.name), `${planted.test}: no test has "${planted.name}" in its name`)
  }
})

test('an edit whose place is gone or ambiguous is reported with its fault', () => {
  const planted = { fault: 'a fault', file: 'x.ts', from: 'a', to: 'b', test: 'x.test.ts', name: 'x' }
  assert.equal(withPlanted('1 a 2', planted), '1 b 2')
  assert.throws(() => withPlanted('1 2', planted), /x\.ts has the place to change for "a fault" not at all/)
  assert.throws(() => withPlanted('a a', planted), /x\.ts has the place to change for "a fault" more than once/)
})
