/*
 * The programs of docs/cookbook.md come out as their test orders say.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { parse, stringify } from 'yaml'
import { readCasesText } from '../../src/engine/ingest/cases/read-cases.ts'
import { readProgramText } from '../../src/engine/ingest/program-text.ts'
import { listUntried, tryCases } from '../../src/engine/whatif/cases.ts'
import { readBlocks, readDocument } from '../support/docs-blocks.ts'

const [head = '', ...wishes] = readDocument('docs/cookbook.md').split(/^### /m)

const blocksOf = (text: string) =>
  readBlocks(text).flatMap((one) => (one.kind === 'block' && one.language === 'yaml' ? [one.text] : []))

test('each wish of the cookbook has a valid program, test orders that try all of its rules and come out, and what it cannot do', () => {
  const [common] = blocksOf(head)
  assert(wishes.length >= 20, 'the wishes were not found')
  for (const wish of wishes) {
    const name = wish.split('\n')[0]!
    const [part = '', orders = '', ...others] = blocksOf(wish)
    assert.deepEqual(others, [], name)
    const read = readProgramText(stringify({ ...parse(common!), ...parse(part) }))
    assert('program' in read, `${name}: ${JSON.stringify('issues' in read && read.issues)}`)
    const { program } = read
    const cases = readCasesText(orders, program)
    assert('cases' in cases, `${name}: ${JSON.stringify('issues' in cases && cases.issues)}`)
    const results = tryCases(program, cases.cases)
    const failed = results.filter(({ isAsExpected }) => !isAsExpected)
    assert.deepEqual(
      failed.flatMap(({ steps }) => steps.flatMap(({ mismatches }) => mismatches)),
      [],
      name,
    )
    assert.deepEqual(failed, [], name)
    assert.deepEqual(listUntried(program, results), [], name)
    assert.match(wish, /Not possible/, name)
  }
})
